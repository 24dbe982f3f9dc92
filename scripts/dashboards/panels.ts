import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog'
import {
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  type Panel as BuiltPanel,
  FieldColorBuilder,
  FieldColorModeId,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table'
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

/** The variable of a dashboard that chooses the Prometheus. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces it.
export const datasource = { type: 'prometheus', uid: '${datasource}' }

/** As Grafana names them. */
export type Unit = 'short' | 's' | 'percentunit' | 'bytes' | 'Bps' | 'ops' | 'reqps' | 'cps'

interface PanelOptions {
  readonly title: string
  /** What it shows, and when to act. */
  readonly description: string
}

export interface GraphOptions extends PanelOptions {
  readonly unit: Unit
  /** Columns of 24. Default 8. */
  readonly width?: number
  readonly min?: number
  readonly max?: number
  /** Legend, with labels as in `{{instance}}`, and expression of each line. */
  readonly lines: Readonly<Record<string, string>>
}

/** Lines over time. */
export function graph({ title, description, unit, lines, width = 8, min = 0, max }: GraphOptions): Builder<BuiltPanel> {
  const legend = new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
  const tooltip = new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending)
  const panel = new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .min(min)
    .span(width)
    .height(8)
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(8)
    .showPoints(VisibilityMode.Never)
    .legend(legend)
    .tooltip(tooltip)
    .targets(queries(lines))
  return max === undefined ? panel : panel.max(max)
}

export interface NumberOptions extends PanelOptions {
  readonly unit: Unit
  readonly expression: string
  /** From this value on, it is red. */
  readonly badFrom?: number
  /** Below this value, it is red. */
  readonly badBelow?: number
}

/** The newest value. */
export function number({
  title,
  description,
  unit,
  expression,
  badFrom,
  badBelow,
}: NumberOptions): Builder<BuiltPanel> {
  const steps =
    badBelow !== undefined
      ? [step(null, 'red'), step(badBelow, 'green')]
      : [step(null, 'green'), ...(badFrom === undefined ? [] : [step(badFrom, 'red')])]
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .span(4)
    .height(4)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .targets(queries({ '': expression }))
}

export interface TableOptions extends PanelOptions {
  readonly expression: string
  /** Labels that are shown, in this order. */
  readonly columns: readonly string[]
}

/** A row per series, with its labels. */
export function table({ title, description, expression, columns }: TableOptions): Builder<BuiltPanel> {
  return new TableBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .span(12)
    .height(6)
    .withTarget(query('A', expression).instant().format(PromQueryFormat.Table))
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names: [...columns] } } })
    .withTransformation({
      id: 'organize',
      options: { indexByName: Object.fromEntries(columns.map((name, index) => [name, index])) },
    })
}

function queries(lines: Readonly<Record<string, string>>): Builder<Dataquery>[] {
  return Object.entries(lines).map(([legend, expression], index) =>
    query(String.fromCharCode('A'.charCodeAt(0) + index), expression)
      .range()
      .legendFormat(legend),
  )
}

function query(refId: string, expression: string): DataqueryBuilder {
  return new DataqueryBuilder().refId(refId).datasource(datasource).expr(expression)
}

function step(value: number | null, color: string): { readonly value: number | null; readonly color: string } {
  return { value, color }
}
