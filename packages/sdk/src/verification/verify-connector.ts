import { type Project, resolveTopics, type Settings } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { Connector } from '../connector/connector.ts'
import type { Published, PublishedUnit } from '../connector/published.ts'
import type { Schema } from '../connector/schema.ts'
import { checkNewest, checkpointOf } from './check-newest.ts'
import { checkRing, oldestInRing } from './check-ring.ts'
import { createChoice, type UnitChoice } from './chosen-units.ts'
import type { Report } from './finding.ts'
import { createMissingReporter, readRemovable } from './missing-records.ts'
import { type AuditCounts, publishedUnits } from './published-units.ts'
import { gatherUnits, readCanonical } from './read-canonical.ts'
import { checkIntervals, checkPlaces, readReorganisations } from './reorganisations.ts'
import { type MissingRecords, type PartitionScan, type ScanOptions, scanPartition } from './scan-partition.ts'
import { readStoredCheckpoints } from './stored-checkpoints.ts'
import { createTimeCheck } from './time-check.ts'
import { type TopicToVerify, topicsToVerify } from './topics-to-verify.ts'
import { createWholeUnits, type WholeUnits } from './whole-units.ts'

export interface VerifyOptions {
  readonly connector: Connector<Schema, unknown>
  readonly project: Project
  readonly settings: Settings
  readonly instance?: string | undefined
  readonly queue: Queue
  readonly compare: UnitChoice
  readonly signal: AbortSignal
  readonly log: Logger
  /** Verification continues when it has resolved. */
  onFinding: Report
  /** Called synchronously with the fraction that was read, from 0 to 1. */
  onProgress?(done: number): void
}

export interface VerifySummary {
  /** The first unit that is not cut off at the beginning; above `lastUnit` where there is none. */
  readonly firstUnit: number
  /** Units that a concurrent run has published since are not verified. */
  readonly lastUnit: number
  /** Whole canonical units with records, and how many of them were compared with the source. */
  readonly units: number
  readonly compared: number
  /** Records, including reverted ones and reverts. */
  readonly records: number
  readonly findings: number
}

/**
 * Audits what an instance of a connector has published, up to its newest checkpoint. It writes nothing and does not
 * disturb a run.
 *
 * Records may be missing only at the beginning of a partition, with a `retention`, and only of units that can no longer
 * be reverted. A unit with a record that is missing or has no place is not compared with the source.
 *
 * Everything is read twice: headers, then canonical records. Memory grows with the number of reorganisations, the
 * records of the deepest one and the ring (8,192), not with the length of the topics.
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
  const stored = await readStoredCheckpoints(queue, writerId, signal)
  const checkpoint = checkpointOf(stored)
  const { schema } = connector
  const topics = await topicsToVerify({ queue, schema, project, settings, instance, stored, report })
  const isEmpty = topics.every(({ partitions }) => partitions.every(({ upTo }) => upTo === 0n))
  if (!checkpoint && stored.unreadable === undefined && isEmpty) throw nothingPublished(writerId)

  const reading = { signal, onRead: countReading(topics, options.onProgress) }
  const published = await readReorganisations(queue, writerId, {
    topics: new Set(topics.flatMap(({ partitions }) => partitions.map(({ topic }) => topic))),
    signal,
    report,
  })
  const whole = createWholeUnits(checkpoint?.unit ?? Number.POSITIVE_INFINITY)
  const scans = await scanTopics(
    { queue, writerId, topics, whole, report },
    { published, report, ...reading, keepUnitsFrom: checkpoint ? oldestInRing(checkpoint) : Number.POSITIVE_INFINITY },
  )
  const own = scans.map(({ scan }) => scan)
  const isBehind = await checkNewest({ queue, writerId, stored, scans: own, report })
  const known = isBehind ? own.filter(({ later }) => !later) : own
  if (checkpoint) await checkRing({ queue, writerId, checkpoint, stored, scans: known, signal, report })

  await checkPlaces(published, topics, report)
  const partitions = []
  for (const { topic, scan } of scans) {
    const reverted = await checkIntervals(scan, published, report)
    const onRemoved = async (lastUnit?: number): Promise<void> =>
      whole.exclude(1, lastUnit ?? (await readRemovable(queue, writerId))?.unit ?? whole.last)
    partitions.push({
      of: topic.known,
      lists: readCanonical(queue, scan.place, { reverted, report, onRemoved, ...reading }),
    })
  }
  const last = Math.max(0, ...scans.flatMap(({ topic, scan }) => (topic.known ? [scan.newestUnit] : [])))
  const counts: AuditCounts = { units: 0, compared: 0 }
  const units = publishedUnits(gatherUnits(partitions), {
    topics: topics.flatMap(({ known }) => known ?? []),
    stored,
    whole,
    choose: createChoice(options.compare, { first: whole.first, last }),
    counts,
    report,
  })
  await verifyUnits(options, units, checkpoint?.position ?? null, report)
  const records = own.reduce((sum, scan) => sum + scan.records, 0)
  return { firstUnit: whole.first, lastUnit: checkpoint?.unit ?? last, ...counts, records, findings }
}

function countReading(
  topics: readonly TopicToVerify[],
  onProgress: VerifyOptions['onProgress'],
): (offsets: number) => void {
  const partitions = topics.flatMap(({ partitions }) => partitions)
  const all = 2 * partitions.reduce((sum, { from, upTo }) => sum + Number(upTo - from), 0)
  let read = 0
  return (offsets) => {
    read += offsets
    onProgress?.(Math.min(1, read / all))
  }
}

interface Scanned {
  readonly topic: TopicToVerify
  readonly scan: PartitionScan
}

interface TopicsToScan {
  readonly queue: Queue
  readonly writerId: string
  readonly topics: readonly TopicToVerify[]
  readonly whole: WholeUnits
  readonly report: Report
}

type ReadingOptions = Omit<ScanOptions, 'onMissing' | 'onIncomplete' | 'checkTime'>

async function scanTopics(
  { queue, writerId, topics, whole, report }: TopicsToScan,
  reading: ReadingOptions,
): Promise<Scanned[]> {
  const reportMissing = createMissingReporter({ queue, writerId, whole, report })
  const scans: Scanned[] = []
  for (const topic of topics) {
    for (const place of topic.partitions) {
      const onMissing = (missing: MissingRecords): Promise<void> => reportMissing(topic, place, missing)
      const scan = await scanPartition(queue, place, {
        ...reading,
        onMissing,
        onIncomplete: whole.exclude,
        checkTime: createTimeCheck(topic.known),
      })
      scans.push({ topic, scan })
    }
  }
  return scans
}

/** Runs the connector's `verify`, then reads the units that it has not read. */
async function verifyUnits(
  { connector, settings, signal, log }: VerifyOptions,
  units: AsyncGenerator<PublishedUnit<Schema>, void, undefined>,
  checkpoint: unknown,
  report: Report,
): Promise<void> {
  const published: Published<Schema, unknown> = {
    config: settings.values,
    checkpoint,
    // Without `return`, so that leaving a loop does not end the iteration.
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
    `"${writerId}" has published nothing in this queue. Check the queue, the instance, the settings in the topic names ` +
      'and the topicVersion of the manifest.',
    { remedy: { kind: 'set_queue_and_instance' } },
  )
}
