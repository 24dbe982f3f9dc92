import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../../deploy/grafana')

export interface Dashboard {
  readonly title: string
  readonly panels: readonly Panel[]
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

export function readDashboards(): readonly Dashboard[] {
  const files = globSync('*.json', { cwd: folder }).sort()
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard)
}

export interface PanelQuery {
  readonly panel: string
  readonly expression: string
}

/** The queries as Grafana sends them to Prometheus, for all instances. */
export function queriesOf({ panels }: Dashboard, rateInterval = '5m'): readonly PanelQuery[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expression: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', rateInterval),
    })),
  )
}
