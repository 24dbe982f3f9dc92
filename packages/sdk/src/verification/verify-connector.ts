import type { DescMessage } from '@bufbuild/protobuf'
import { resolveTopics } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { Published, PublishedUnit } from '../connector/published.ts'
import type { RunOptions } from '../runtime/run-options.ts'
import type { Audit } from './audit.ts'
import { checkCheckpoints } from './check-checkpoints.ts'
import { createChoice, type UnitChoice } from './chosen-units.ts'
import type { Report } from './finding.ts'
import { createMissingReporter } from './missing-records.ts'
import { type PartitionToVerify, partitionsToVerify } from './partitions-to-verify.ts'
import { publishedUnits } from './published-units.ts'
import { type CanonicalPartition, gatherUnits, readCanonical } from './read-canonical.ts'
import { checkIntervals, checkPlaces, readReorganisations } from './reorganisations.ts'
import { type PartitionScan, scanPartition } from './scan-partition.ts'
import { readStoredCheckpoints } from './stored-checkpoints.ts'
import { createWholeUnits } from './whole-units.ts'

export interface VerifyOptions
  extends Pick<RunOptions, 'connector' | 'project' | 'settings' | 'instance' | 'queue' | 'signal' | 'log'> {
  readonly compare: UnitChoice
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
  const { queue, signal } = options
  let findings = 0
  const report: Report = (finding) => {
    findings++
    return options.onFinding(finding)
  }
  const instance = resolveTopics(options.project, options.settings, options.instance)
  const { writerId } = instance
  const stored = await readStoredCheckpoints(queue, writerId, signal)
  const { checkpoint, unreadable } = stored
  const partitions = await partitionsToVerify({ queue, stored, report }, options, instance)
  const isEmpty = partitions.every(({ upTo }) => upTo === 0n)
  if (!checkpoint && unreadable === undefined && isEmpty) throw nothingPublished(writerId)

  const whole = createWholeUnits(checkpoint?.unit ?? Number.POSITIVE_INFINITY)
  const onRead = countReading(partitions, options.onProgress)
  const audit: Audit = { queue, writerId, stored, whole, signal, report, onRead }
  const published = await readReorganisations(audit, new Set(partitions.map(({ topic }) => topic)))
  const reportMissing = createMissingReporter(audit)
  const scans: PartitionScan[] = []
  for (const place of partitions) scans.push(await scanPartition(audit, place, published, reportMissing))
  await checkCheckpoints(audit, scans)
  await checkPlaces(published, partitions, report)
  const canonical: CanonicalPartition[] = []
  for (const scan of scans) {
    const units = readCanonical(audit, scan.place, await checkIntervals(scan, report))
    canonical.push({ topic: scan.place.known, units })
  }

  const last = Math.max(0, ...scans.map(({ place, newestUnit }) => (place.known ? newestUnit : 0)))
  const counts = { units: 0, compared: 0 }
  const topics = [...new Set(partitions.flatMap(({ known }) => known ?? []))]
  const units = publishedUnits(audit, gatherUnits(canonical), {
    topics,
    choose: createChoice(options.compare, { first: whole.first, last }),
    counts,
  })
  const descriptors = new Map(topics.map(({ message, descriptor }) => [message, descriptor]))
  await verifyUnits(options, { units, descriptors, checkpoint: checkpoint?.position ?? null }, report)
  const records = scans.reduce((sum, scan) => sum + scan.records, 0)
  return { firstUnit: whole.first, lastUnit: checkpoint?.unit ?? last, ...counts, records, findings }
}

/** Everything is read twice. */
function countReading(
  partitions: readonly PartitionToVerify[],
  onProgress: VerifyOptions['onProgress'],
): (offsets: number) => void {
  const all = 2 * partitions.reduce((sum, { from, upTo }) => sum + Number(upTo - from), 0)
  let read = 0
  return (offsets) => {
    read += offsets
    onProgress?.(Math.min(1, read / all))
  }
}

interface FoundUnits {
  readonly units: AsyncGenerator<PublishedUnit, void, undefined>
  /** By short message name. */
  readonly descriptors: ReadonlyMap<string, DescMessage>
  readonly checkpoint: unknown
}

/** Runs the connector's `verify`, then reads the units that it has not read. */
async function verifyUnits(
  { connector, settings, signal, log }: VerifyOptions,
  { units, descriptors, checkpoint }: FoundUnits,
  report: Report,
): Promise<void> {
  const published: Published = {
    config: settings.values,
    checkpoint,
    // Without `return`, so that leaving a loop does not end the iteration.
    units: { [Symbol.asyncIterator]: () => ({ next: () => units.next() }) },
    descriptor: (message) => descriptors.get(message),
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
