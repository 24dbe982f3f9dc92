import { type Checkpoint, type Project, readCheckpoint, resolveTopics, type Settings } from '@headrace/catalog'
import { type Queue, UnknownTopicError, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { Connector } from '../connector/connector.ts'
import type { Published, PublishedUnit } from '../connector/published.ts'
import type { Schema } from '../connector/schema.ts'
import { checkCheckpoint } from './check-checkpoint.ts'
import { checkIntervals } from './check-intervals.ts'
import { createChoice, type UnitChoice } from './chosen-units.ts'
import type { Report } from './finding.ts'
import { type LookedAt, publishedUnits } from './published-units.ts'
import { readStanding } from './read-standing.ts'
import { type PartitionScan, type ScanOptions, scanPartition } from './scan-partition.ts'
import { readToldIntervals } from './told-intervals.ts'
import { type KnownTopic, type TopicToVerify, topicsToVerify } from './topics-to-verify.ts'
import { gatherUnits } from './unit-records.ts'
import { wholeUnits } from './whole-units.ts'

export interface VerifyOptions {
  readonly connector: Connector<Schema, unknown>
  readonly project: Project
  readonly settings: Settings
  readonly instance?: string | undefined
  readonly queue: Queue
  /** Which units are compared with the source. */
  readonly compare: UnitChoice
  readonly signal: AbortSignal
  readonly log: Logger
  /** Is told of each finding. The next one is looked for when it has resolved. */
  onFinding: Report
  /** Is told how much has been read, from 0 to 1. It is called synchronously and must be quick. */
  onProgress?(done: number): void
}

/** What was looked at. */
export interface VerifySummary {
  /** Number of the first unit of which retention has removed nothing; above `lastUnit` where there is none. */
  readonly firstUnit: number
  /** Number of the last unit. What a run has published meanwhile is not looked at. */
  readonly lastUnit: number
  /** Units that stand and have records, and how many of them were compared with the source. */
  readonly units: number
  readonly compared: number
  /** Records, those that were taken back and their reverts included. */
  readonly records: number
  readonly findings: number
}

/**
 * Audits what an instance of a connector has published, up to its newest checkpoint. It writes nothing and disturbs no run.
 *
 * Everything is read twice: first the headers, which say what stands, then what stands, unit by unit. Memory grows with
 * the number of reorganisations and with the records of the deepest one, not with the length of the topics.
 *
 * @throws {UserError} `nothing_published`; `schema_mismatch`; what the connector's `verify` throws.
 * @throws {RetryableError} the queue or the source could not be reached.
 */
export async function verifyConnector(options: VerifyOptions): Promise<VerifySummary> {
  const { connector, project, settings, queue, signal } = options
  let findings = 0
  const report: Report = (finding) => {
    findings++
    return options.onFinding(finding)
  }
  const instance = resolveTopics(project, settings, options.instance)
  const { writerId } = instance
  const checkpoint = await newestCheckpoint(queue, writerId)
  const topics = await topicsToVerify({ queue, schema: connector.schema, project, instance, checkpoint, report })
  if (!checkpoint) {
    if (topics.every(({ partitions }) => partitions.every(({ upTo }) => upTo === 0n))) throw nothingPublished(writerId)
    await report({ code: 'checkpoint_missing', message: `There are records, and "${writerId}" has no checkpoint.` })
  }
  const told = await readToldIntervals(queue, writerId, signal)
  const reading = { signal, onRead: countReading(topics, options.onProgress) }
  const scans = await scanTopics(queue, topics, { told, report, ...reading })
  if (checkpoint) await checkCheckpoint({ queue, writerId, checkpoint, scans: scans.map(({ scan }) => scan), report })
  const range = wholeUnits(
    scans.flatMap(({ of, scan }) => (of ? [scan] : [])),
    checkpoint,
  )
  const partitions = []
  for (const { of, scan } of scans) {
    const dead = await checkIntervals(scan, told, report)
    const onRemoved = (firstWhole?: number): void => {
      if (of) range.remove(scan, firstWhole)
    }
    partitions.push({ of, lists: readStanding(queue, scan.place, { dead, report, onRemoved, ...reading }) })
  }
  const lookedAt: LookedAt = { units: 0, compared: 0 }
  const units = publishedUnits(gatherUnits(partitions), {
    topics: topics.flatMap(({ known }) => known ?? []),
    range,
    choose: createChoice(options.compare, range),
    lookedAt,
    report,
  })
  await verifyUnits(options, units, checkpoint?.position ?? null, report)
  const records = scans.reduce((sum, { scan }) => sum + scan.records, 0)
  return { firstUnit: range.first, lastUnit: checkpoint?.unit ?? range.last, ...lookedAt, records, findings }
}

/** A queue that no connector has used yet has no checkpoints. */
async function newestCheckpoint(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  try {
    return await readCheckpoint(queue, writerId)
  } catch (error) {
    if (error instanceof UnknownTopicError) return undefined
    throw error
  }
}

/** Everything is read twice. */
function countReading(
  topics: readonly TopicToVerify[],
  onProgress: VerifyOptions['onProgress'],
): (offsets: number) => void {
  const stretches = topics.flatMap(({ partitions }) => partitions)
  const all = 2 * stretches.reduce((sum, { from, upTo }) => sum + Number(upTo - from), 0)
  let read = 0
  return (offsets) => {
    read += offsets
    onProgress?.(Math.min(1, read / all))
  }
}

interface Scanned {
  readonly of: KnownTopic | undefined
  readonly scan: PartitionScan
}

async function scanTopics(queue: Queue, topics: readonly TopicToVerify[], options: ScanOptions): Promise<Scanned[]> {
  const scans: Scanned[] = []
  for (const { known, partitions } of topics)
    for (const place of partitions) scans.push({ of: known, scan: await scanPartition(queue, place, options) })
  return scans
}

/** Hands units to the connector, and takes those that it leaves. */
async function verifyUnits(
  { connector, settings, signal, log }: VerifyOptions,
  units: AsyncGenerator<PublishedUnit<Schema>, void, undefined>,
  checkpoint: unknown,
  report: Report,
): Promise<void> {
  const published: Published<Schema, unknown> = {
    config: settings.values,
    checkpoint,
    // Leaving a loop over it must not end it.
    units: { [Symbol.asyncIterator]: () => ({ next: () => units.next() }) },
    signal,
    log,
  }
  for await (const finding of connector.verify?.(published) ?? []) await report(finding)
  for await (const _ of units);
}

function nothingPublished(writerId: string): UserError {
  return new UserError(
    'nothing_published',
    `"${writerId}" has published nothing in this queue. Check --queue, --instance, the settings in the topic names and ` +
      'the topicVersion of the manifest.',
  )
}
