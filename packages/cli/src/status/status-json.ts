import { lagOf, newestSource } from './connector-state.ts'
import type { StatusFinding } from './findings.ts'
import type { ConnectorStatus, QueueStatus, SeenGateway } from './queue-status.ts'

/** Stable names, documented in docs/reference/cli.md. */
export function statusJson(status: QueueStatus, findings: readonly StatusFinding[]): object {
  const { time, connectors, gateways, topics, moreDeadLetters, hidden } = status
  return {
    time: formatTime(time),
    connectors: connectors.map(connectorJson),
    gateways: gateways.map(gatewayJson),
    topics,
    moreDeadLetters,
    hidden,
    findings,
  }
}

function connectorJson(status: ConnectorStatus): object {
  const { writer, connector, instance, topics, state, run, checkpoint, restarts, deadLetters } = status
  const source = newestSource(run, checkpoint)
  return {
    ...{ writer, connector, instance, topics, state },
    unit: checkpoint ? `${checkpoint.unit}` : null,
    position: checkpoint?.position ?? null,
    final: checkpoint?.final ? { unit: `${checkpoint.final.unit}` } : null,
    lastCommit: checkpoint ? formatTime(checkpoint.time) : null,
    source: source ? { ...source, lag: lagOf(source) } : null,
    endpoints: run?.process.endpoints ?? checkpoint?.endpoints ?? [],
    rate: run ? rateJson(run.process.perSecond) : null,
    restarts,
    deadLetters: deadLetters.length,
    run: run ? runJson(run) : null,
  }
}

/** Rounded to thousandths. */
function rateJson({ units, records }: { readonly units: number; readonly records: number }): object {
  return { units: Math.round(units * 1000) / 1000, records: Math.round(records * 1000) / 1000 }
}

function runJson({ process, seen }: NonNullable<ConnectorStatus['run']>): object {
  const { id, host, pid, version, started, ended = null } = process
  return { ...{ id, host, pid, version }, started: formatTime(started), seen: formatTime(seen), ended }
}

function gatewayJson({ process, seen }: SeenGateway): object {
  const { id, address, environment, state, connections, host, pid, version, started } = process
  const where = { host, pid, version, started: formatTime(started), seen: formatTime(seen) }
  return { id, address, environment, state, connections, ...where }
}

function formatTime(time: number): string {
  return new Date(time).toISOString()
}
