import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { datasource } from './panels.ts'

export interface DashboardOptions {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** Regular expression of the jobs whose instances can be chosen. */
  readonly jobs: string
  /** By the title of the row. */
  readonly rows: Readonly<Record<string, readonly Builder<Panel>[]>>
}

/** A dashboard with a choice of the Prometheus and of instances. */
export function buildDashboard({ uid, title, description, jobs, rows }: DashboardOptions): Dashboard {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['headrace'])
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('instance')
        .label('Instance')
        .datasource(datasource)
        .query(`label_values(up{job=~"${jobs}"}, instance)`)
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .sort(VariableSort.AlphabeticalAsc)
        .multi(true)
        .includeAll(true)
        .allValue('.*')
        .current({ text: 'All', value: '$__all' }),
    )
  for (const [row, panels] of Object.entries(rows)) {
    dashboard.withRow(new RowBuilder(row))
    for (const panel of panels) dashboard.withPanel(panel)
  }
  const built = dashboard.build()
  // Grafana gives panels without an id new ones at each start.
  built.panels?.forEach((panel, index) => {
    panel.id = index + 1
  })
  return built
}
