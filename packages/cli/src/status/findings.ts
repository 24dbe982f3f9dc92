import { count, formatAge } from '../output/table.ts'
import { lostMs } from '../presence/process-record.ts'
import { lagOf, newestSource, stalledMs } from './connector-state.ts'
import type { ConnectorStatus, QueueStatus, SeenGateway } from './queue-status.ts'

export const statusFindingCodes = [
  'connector_failed',
  'connector_stopped',
  'connector_lost',
  'connector_silent',
  'connector_retrying',
  'no_endpoint',
  'connector_stalled',
  'connector_behind',
  'connector_restarts',
  'dead_letters',
  'topic_missing',
  'topic_unregistered',
  'gateway_lost',
] as const

/** What needs attention. */
export interface StatusFinding {
  readonly code: (typeof statusFindingCodes)[number]
  /** A connector, by its writer id; a gateway, by its address; or a topic. */
  readonly about: string
  readonly message: string
  readonly remedy: string
}

/** Starts in an hour after the first one. A deployment is one. */
const manyRestarts = 3

export function findingsOf(status: QueueStatus): StatusFinding[] {
  const { connectors, gateways, topics, time } = status
  return [
    ...connectors.flatMap((one) => findingsOfConnector(one, time)),
    ...findingsOfTopics(topics),
    ...gateways.filter(({ seen }) => time - seen > lostMs).map((gateway) => lostGateway(gateway, time)),
  ]
}

function findingsOfConnector(status: ConnectorStatus, now: number): StatusFinding[] {
  const { writer: about, restarts, deadLetters } = status
  const found = stateFinding(status, now)
  return [
    ...(found ? [{ about, ...found }] : []),
    ...(restarts >= manyRestarts ? [manyStarts(about, restarts)] : []),
    ...(deadLetters.length > 0 ? [newDeadLetters(status, now)] : []),
  ]
}

type Found = Omit<StatusFinding, 'about'>

function stateFinding({ state, run, checkpoint }: ConnectorStatus, now: number): Found | undefined {
  const committed = checkpoint ? `its last commit was ${formatAge(checkpoint.time, now)}` : 'it has committed nothing'
  if (state === 'silent')
    return {
      code: 'connector_silent',
      message: `No run has reported, and ${committed}.`,
      remedy:
        'Start it with "connector run". If it runs, let it write to "_headrace.processes", or it is a program of your ' +
        'own: look at its log.',
    }
  if (!run) return undefined
  const { endpoints, host, pid, ended } = run.process
  const where = `on host "${host}" (process ${pid})`
  const lag = lagOf(newestSource(run, checkpoint))
  if (state === 'failed')
    return {
      code: 'connector_failed',
      message:
        `The run ${where} ended ${formatAge(run.seen, now)} with ${ended?.code ?? 'an error'}, ` +
        `exit code ${ended?.exitCode ?? 'unknown'}.`,
      remedy: 'Its last log line says what to do. Then start it with "connector run".',
    }
  if (state === 'stopped')
    return {
      code: 'connector_stopped',
      message: `The run ${where} was stopped ${formatAge(run.seen, now)}.`,
      remedy: 'Start it with "connector run".',
    }
  if (state === 'lost')
    return {
      code: 'connector_lost',
      message: `The run ${where} last reported ${formatAge(run.seen, now)}, and did not end in order.`,
      remedy: 'It was killed, or cannot reach the queue: look on that host, and start it again.',
    }
  if (state === 'retrying' && endpoints.length > 0 && endpoints.every(({ up }) => !up))
    return {
      code: 'no_endpoint',
      message: `No endpoint of the source answers: ${endpoints.map(({ endpoint }) => endpoint).join(', ')}.`,
      remedy: 'Look at the provider, or add an endpoint to the settings.',
    }
  if (state === 'retrying')
    return {
      code: 'connector_retrying',
      message: `Reading or committing fails, and ${committed}.`,
      remedy: `The log of the run ${where} names the failing step.`,
    }
  if (state === 'stalled')
    return {
      code: 'connector_stalled',
      message: `The source is ${lag} ahead, and ${committed}: nothing for ${stalledMs / 60_000} minutes.`,
      remedy: `Look at the log of the run ${where}, then at the source, then run "connector doctor".`,
    }
  if (state === 'behind')
    return {
      code: 'connector_behind',
      message: `It is ${lag} behind its source, more than five minutes ago (${run.process.earlierLag}).`,
      remedy: 'Look at the time of each stage in the metrics of the run: the source or the queue is too slow.',
    }
  return undefined
}

function manyStarts(about: string, restarts: number): StatusFinding {
  return {
    ...{ code: 'connector_restarts', about },
    message: `It was started again ${restarts} times in the last hour.`,
    remedy: 'The last log line of each run says why it ended.',
  }
}

function newDeadLetters({ writer: about, deadLetters }: ConnectorStatus, now: number): StatusFinding {
  const { topic, code, time } = deadLetters[0]!
  return {
    ...{ code: 'dead_letters', about },
    message:
      `${count(deadLetters.length, 'message')} could not be published in the last 24 h. ` +
      `The newest, ${formatAge(time, now)}, was for "${topic}" (${code}).`,
    remedy: `The log of the run has the reason: look for "bad message". Correct the connector.`,
  }
}

const mostNames = 3

function findingsOfTopics({ missing, unregistered }: QueueStatus['topics']): StatusFinding[] {
  return [
    ...missing.map((about): StatusFinding => {
      const message = 'The topic is registered, but does not exist, or this user may not see it.'
      return { code: 'topic_missing', about, message, remedy: 'Start its connector, which creates it.' }
    }),
    ...(unregistered.length > 0 ? [unregisteredTopics(unregistered)] : []),
  ]
}

function unregisteredTopics(names: readonly string[]): StatusFinding {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  const one = names.length === 1
  return {
    ...{ code: 'topic_unregistered', about: names[0]! },
    message:
      `${names.slice(0, mostNames).join(', ')}${more} ${one ? 'has' : 'have'} no registration, so no gateway serves ` +
      `${one ? 'it' : 'them'}.`,
    remedy: 'Run "connector register" for the connector, or "connector adopt" if another program writes it.',
  }
}

function lostGateway({ process, seen }: SeenGateway, now: number): StatusFinding {
  return {
    ...{ code: 'gateway_lost', about: process.address },
    message:
      `The gateway on host "${process.host}" (process ${process.pid}) last reported ${formatAge(seen, now)}, and did ` +
      'not end in order.',
    remedy: 'It was killed, or cannot reach the queue: look on that host. It is forgotten after an hour.',
  }
}
