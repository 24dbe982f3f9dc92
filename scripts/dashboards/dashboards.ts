import { connectorDashboard } from './connectors.ts'
import { gatewayDashboard } from './gateways.ts'

/** The text of each file in `deploy/grafana`. */
export const dashboardFiles: Readonly<Record<string, string>> = {
  'connectors.json': format(connectorDashboard),
  'gateways.json': format(gatewayDashboard),
}

function format(dashboard: object): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`
}
