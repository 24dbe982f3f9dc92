import {
  type CommittedCheckpoint,
  compareVersions,
  createNewestCheckpoints,
  didYouMean,
  isSystemTopic,
  readContents,
  systemTopics,
  type TopicRegistration,
  writerIdOf,
} from '@headrace/catalog'
import { type Logger, type Queue, type TopicDescription, UserError } from '@headrace/queue'
import { lostMs, type ProcessRecord, type SeenProcess } from '../presence/process-record.ts'
import { readProcesses } from '../presence/read-processes.ts'
import { type ConnectorState, connectorState, isAlive, type SeenRun } from './connector-state.ts'
import { type DeadLetter, type RecentDeadLetters, readDeadLetters } from './dead-letters.ts'

/** What a queue shows at one moment. Times are in ms since the Unix epoch. */
export interface QueueStatus {
  readonly time: number
  readonly connectors: readonly ConnectorStatus[]
  readonly gateways: readonly SeenGateway[]
  readonly topics: TopicsStatus
  /** Whether there are more dead letters than were counted. */
  readonly moreDeadLetters: boolean
  /** What this user may not read: its part is empty. */
  readonly hidden: readonly string[]
}

export interface ConnectorStatus {
  readonly writer: string
  readonly connector: TopicRegistration['connector']
  readonly instance: string
  readonly topics: readonly string[]
  readonly state: ConnectorState
  readonly run: SeenRun | undefined
  readonly checkpoint: CommittedCheckpoint | undefined
  /** Starts of runs in the last hour, without the first one. */
  readonly restarts: number
  /** Of the last day, the most recent first. */
  readonly deadLetters: readonly DeadLetter[]
}

export type SeenGateway = SeenProcess & { readonly process: Extract<ProcessRecord, { readonly kind: 'gateway' }> }

export interface TopicsStatus {
  readonly registered: number
  readonly adopted: number
  /** Registered, but not there. */
  readonly missing: readonly string[]
  /** With a name as of topics of connectors. */
  readonly unregistered: readonly string[]
}

export interface ReadStatusOptions {
  readonly log: Logger
  readonly now: number
  /** `owner/package` or a writer id. Default: all connectors, and gateways. */
  readonly only?: string | undefined
}

const restartsMs = 3_600_000
/** A gateway that ended without a word is shown for this long. */
const shownLostMs = 3_600_000

/** Reads what is stored, and waits for no open transaction. Reads no records of topics. */
export async function readStatus(queue: Queue, { log, now, only }: ReadStatusOptions): Promise<QueueStatus> {
  const hidden: string[] = []
  const permitted = <T>(what: string, reading: Promise<T>, none: T) =>
    unlessDenied(reading, none, () => hidden.push(what))
  const contents = await readContents(queue)
  const described = new Map((await queue.describe()).map((topic) => [topic.name, topic]))
  const registrations = [...contents.registrations.values()].filter((one) => isChosen(one, only))
  if (only !== undefined && registrations.length === 0) throw connectorNotFound(only, contents.registrations.values())
  const written = Map.groupBy(registrations, writerIdOf)
  const newest = createNewestCheckpoints(queue, log)
  const checkpoints = described.get(systemTopics.checkpoints)
  if (checkpoints) await permitted('checkpoints', newest.update(checkpoints, written.keys()), undefined)
  // It is there before a topic is registered.
  else if (written.size > 0) hidden.push('checkpoints')
  const processes = await permitted('processes', readProcesses(queue), new Map<string, SeenProcess>())
  const noLetters: RecentDeadLetters = { byWriter: new Map(), isPartial: false }
  const letters = await permitted('dead letters', readDeadLetters(queue, now), noLetters)
  const runs = Map.groupBy([...processes.values()].filter(isRun), ({ process }) => process.writer)
  const connectors = [...written].map(([writer, topics]) =>
    describeConnector(writer, topics, {
      now,
      runs: runs.get(writer) ?? [],
      checkpoint: newest.of(writer),
      deadLetters: letters.byWriter.get(writer) ?? [],
    }),
  )
  const adopted = contents.values().length - contents.registrations.size
  return {
    time: now,
    connectors: connectors.sort((one, other) => (one.writer < other.writer ? -1 : 1)),
    gateways: only === undefined ? shownGateways(processes.values(), now) : [],
    topics: describeTopics(described, registrations, only === undefined ? contents.get : undefined, adopted),
    moreDeadLetters: letters.isPartial,
    hidden,
  }
}

async function unlessDenied<T>(reading: Promise<T>, none: T, onDenied: () => void): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof UserError && error.code === 'permission_denied')) throw error
    onDenied()
    return none
  }
}

function isChosen(registration: TopicRegistration, only: string | undefined): boolean {
  const { owner, package: name } = registration.connector
  return only === undefined || only === `${owner}/${name}` || only === writerIdOf(registration)
}

function connectorNotFound(only: string, registrations: Iterable<TopicRegistration>): UserError {
  const names = [...registrations].flatMap((one) => [
    `${one.connector.owner}/${one.connector.package}`,
    writerIdOf(one),
  ])
  return new UserError(
    'connector_not_found',
    `There is no connector "${only}" in this queue.${didYouMean(only, [...new Set(names)])} ` +
      'Give its owner and package, "acme/rates", or its lineage and instance, "acme.rates.1_0_0/main".',
  )
}

function isRun(seen: SeenProcess): seen is SeenRun {
  return seen.process.kind === 'run'
}

interface Found extends Pick<ConnectorStatus, 'checkpoint' | 'deadLetters'> {
  readonly now: number
  readonly runs: readonly SeenRun[]
}

function describeConnector(writer: string, written: readonly TopicRegistration[], found: Found): ConnectorStatus {
  const { now, runs, checkpoint, deadLetters } = found
  const [newest] = written.toSorted((one, other) => compareVersions(other.connector.version, one.connector.version))
  const { connector, instance } = newest!
  // Of two runs that live, the newer one has taken over.
  const [run] = runs.toSorted(
    (one, other) =>
      Number(isAlive(other, now)) - Number(isAlive(one, now)) || other.process.started - one.process.started,
  )
  const isReplaced = written.every(({ successor }) => successor !== undefined)
  const starts = runs.filter(({ process }) => process.started > now - restartsMs).length
  return {
    ...{ writer, connector, instance, run, checkpoint, deadLetters },
    topics: written.map(({ topic }) => topic).sort(),
    state: connectorState({ run, checkpoint, isReplaced, now }),
    restarts: Math.max(0, starts - 1),
  }
}

function shownGateways(processes: Iterable<SeenProcess>, now: number): readonly SeenGateway[] {
  return [...processes]
    .filter((one): one is SeenGateway => one.process.kind === 'gateway' && !one.process.ended)
    .filter(({ seen }) => now - seen < lostMs + shownLostMs)
    .sort((one, other) => (one.process.address < other.process.address ? -1 : 1))
}

function describeTopics(
  described: ReadonlyMap<string, TopicDescription>,
  registrations: readonly TopicRegistration[],
  content: ((topic: string) => unknown) | undefined,
  adopted: number,
): TopicsStatus {
  const isUnregistered = (name: string) => content?.(name) === undefined && !isSystemTopic(name) && dataTopic.test(name)
  return {
    registered: registrations.length,
    adopted: content ? adopted : 0,
    missing: registrations.flatMap(({ topic }) => (described.has(topic) ? [] : [topic])).sort(),
    unregistered: content ? [...described.keys()].filter(isUnregistered).sort() : [],
  }
}

/** As in `headrace.evm.1_0_0.ethereum_Block`. */
const dataTopic = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*\.\d+_\d+_\d+\.[^.]+_[^.]+$/
