import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { useExplorer } from '../explorer.ts'
import { short } from '../format/number.ts'
import { areDays, labelsOf, lastWidth, placeAt, stacked, timeLabel } from './chart-data.ts'

export interface ChartSeries {
  readonly label: string
  /** One for each of `seconds`; `null` where there is none. */
  readonly values: readonly (number | null)[]
  /** A custom property of `tokens.css`, without the dashes. */
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'muted'
  readonly kind: 'bars' | 'line'
}

export interface ChartProps {
  /** Unix time of each place, ascending. A bar begins at it, and ends at the next one. */
  readonly seconds: readonly number[]
  /** Bars are stacked, the first one at the bottom. */
  readonly series: readonly ChartSeries[]
  /** In pixels, without the line of labels. */
  readonly height: number
  /** What the chart shows, for those who cannot see it. */
  readonly label: string
  readonly format?: (value: number) => string
}

/** Values over time. The place under the pointer is written out above it. */
export function Chart({ seconds, series, height, label, format = short }: ChartProps) {
  const { theme } = useExplorer()
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [place, setPlace] = useState<number | null>(null)
  const shown = useRef({ seconds, series, format })
  shown.current = { seconds, series, format }
  const shape = series.map(({ label, colour, kind }) => `${label} ${colour} ${kind}`).join('\n')

  useEffect(() => {
    let stopped = false
    const target = frame.current!
    const observer = new ResizeObserver(() => {
      if (target.clientWidth > 0) plot.current?.setSize({ width: target.clientWidth, height })
    })
    void import('uplot').then(({ default: Plot }) => {
      if (stopped) return
      const { seconds, series } = shown.current
      const options = optionsOf(Plot, series, (value) => shown.current.format(value), setPlace)
      plot.current = new Plot({ ...options, width: target.clientWidth, height }, dataOf(seconds, series), target)
      observer.observe(target)
    })
    return () => {
      stopped = true
      observer.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [shape, height])

  useEffect(() => plot.current?.setData(dataOf(seconds, series)), [seconds, series])
  useEffect(() => plot.current?.redraw(), [theme.current.value])

  const second = place === null ? undefined : seconds[place]
  return (
    <figure class="chart">
      <figcaption class="chart-labels" aria-hidden="true">
        {series.map(({ label, colour, values }) => (
          <span key={label}>
            <i class={`swatch ${colour}`} />
            {label}
            {second !== undefined && <b>{valueText(values[place!], format)}</b>}
          </span>
        ))}
        {second !== undefined && <span class="chart-time">{timeLabel(second, areDays(seconds))}</span>}
      </figcaption>
      <div ref={frame} class="chart-frame" style={{ height: `${height}px` }} role="img" aria-label={label} />
    </figure>
  )
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value)
}

/** Series are drawn in this order: of stacked bars, the lowest one last, so that it covers the sums. */
function inDrawnOrder(series: readonly ChartSeries[]): readonly ChartSeries[] {
  return [...series.filter(({ kind }) => kind === 'bars').reverse(), ...series.filter(({ kind }) => kind === 'line')]
}

function dataOf(seconds: readonly number[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const bars = series.filter(({ kind }) => kind === 'bars')
  const sums = new Map(stacked(bars.map(({ values }) => values)).map((values, index) => [bars[index], values]))
  return [[...seconds], ...inDrawnOrder(series).map((one) => [...(sums.get(one) ?? one.values)])]
}

function optionsOf(
  Plot: typeof uPlot,
  series: readonly ChartSeries[],
  format: (value: number) => string,
  onPlace: (place: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const hasBars = series.some(({ kind }) => kind === 'bars')
  const bars = Plot.paths.bars!({ size: [0.72, 40], align: 1, radius: [0.12, 0] })
  const font = `11px ${property('sans')}`
  const axis: uPlot.Axis = { stroke: () => property('muted'), font, ticks: { show: false } }
  return {
    legend: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true, range: (plot, min, max) => (hasBars ? [min, max + lastWidth(plot.data[0])] : [min, max]) },
      y: { range: (_plot, _min, max) => Plot.rangeNum(0, Math.max(max, 1), { min: { pad: 0 }, max: { pad: 0.1 } }) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 64,
        grid: { show: false },
        // A label at the very end would be cut off.
        values: (plot, splits, _index, _space, step) => labelsOf(splits, step, plot.scales.x!.max!),
      },
      {
        ...axis,
        size: 52,
        space: 36,
        gap: 8,
        grid: { stroke: () => property('line'), width: 1 },
        values: (_plot, splits) => splits.map(format),
      },
    ],
    series: [
      {},
      ...inDrawnOrder(series).map(({ label, colour, kind }): uPlot.Series => {
        const stroke = () => property(colour)
        if (kind === 'line') return { label, stroke, width: 1.5, points: { show: false } }
        return { label, fill: stroke, width: 0, paths: bars, points: { show: false } }
      }),
    ],
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { show: !hasBars, size: 7 },
      dataIdx: (plot, _series, closest, value) => (hasBars ? placeAt(plot.data[0], value) : closest),
    },
    hooks: { setCursor: [({ cursor }) => onPlace(cursor.left! < 0 ? null : (cursor.idxs?.[1] ?? null))] },
  }
}

function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)
}
