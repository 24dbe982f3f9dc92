import { count, formatAge, formatTable } from '../output/table.ts'
import { lostMs } from '../presence/process-record.ts'
import { isAlive, lagOf, newestSource } from './connector-state.ts'
import type { StatusFinding } from './findings.ts'
import type { ConnectorStatus, QueueStatus, SeenGateway } from './queue-status.ts'

/** One screen for a person. */
export function statusText(status: QueueStatus, findings: readonly StatusFinding[]): string {
  const { connectors, gateways, time, hidden } = status
  const parts = [
    connectors.length > 0
      ? connectorTable(connectors, time)
      : 'There are no connectors: none has run with this queue.\n',
    ...(gateways.length > 0 ? [gatewayTable(gateways, time)] : []),
    topicsLine(status),
    ...(hidden.length > 0 ? [`Not permitted to read: ${hidden.join(', ')}.\n`] : []),
    findings.length > 0 ? attention(findings) : 'Nothing needs attention.\n',
  ]
  return parts.join('\n')
}

function connectorTable(connectors: readonly ConnectorStatus[], now: number): string {
  const rows = connectors.map((one) => [
    nameOf(one),
    one.state,
    positionOf(one),
    `${lagOf(newestSource(one.run, one.checkpoint)) ?? '–'}`,
    rateOf(one, now),
    one.checkpoint ? formatAge(one.checkpoint.time, now) : '–',
    `${one.restarts}`,
    `${one.deadLetters.length}`,
  ])
  return formatTable([['CONNECTOR', 'STATE', 'POSITION', 'LAG', 'UNITS/S', 'COMMIT', 'RESTARTS', 'DEAD'], ...rows])
}

/** `acme/rates`, and the instance if it has a name of its own. */
export function nameOf({ connector, instance }: Pick<ConnectorStatus, 'connector' | 'instance'>): string {
  const name = `${connector.owner}/${connector.package}`
  return instance === 'main' ? name : `${name} ${instance}`
}

/** Of the source in its own unit, else the number of the unit. */
function positionOf({ run, checkpoint }: ConnectorStatus): string {
  const source = newestSource(run, checkpoint)
  if (source) return `${source.position}`
  return checkpoint ? `unit ${checkpoint.unit}` : '–'
}

function rateOf({ run }: ConnectorStatus, now: number): string {
  if (!run || !isAlive(run, now)) return '–'
  return run.process.perSecond.units.toFixed(1)
}

function gatewayTable(gateways: readonly SeenGateway[], now: number): string {
  const rows = gateways.map(({ process, seen }) => {
    const { address, state, connections, host, version, started } = process
    const isLost = now - seen > lostMs
    return [
      ...[address, isLost ? 'lost' : state, isLost ? '–' : `${connections}`],
      ...[host, version, formatAge(started, now), formatAge(seen, now)],
    ]
  })
  return formatTable([['GATEWAY', 'STATE', 'CONNECTIONS', 'HOST', 'VERSION', 'STARTED', 'SEEN'], ...rows])
}

function topicsLine({ topics, connectors, moreDeadLetters }: QueueStatus): string {
  const { registered, adopted, missing, unregistered } = topics
  const letters = connectors.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0)
  const parts = [
    `${count(registered, 'topic')} registered`,
    ...(adopted > 0 ? [`${adopted} adopted`] : []),
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
    ...(unregistered.length > 0 ? [`${unregistered.length} not registered`] : []),
    `${count(letters, 'dead letter')}${moreDeadLetters ? ' and more' : ''} in the last 24 h`,
  ]
  return `${parts.join(', ')}.\n`
}

function attention(findings: readonly StatusFinding[]): string {
  const lines = findings.map(
    ({ code, about, message, remedy }) => `  ${about} (${code})\n    ${message}\n    ${remedy}\n`,
  )
  return `${findings.length === 1 ? 'One thing needs' : `${findings.length} things need`} attention:\n${lines.join('')}`
}
