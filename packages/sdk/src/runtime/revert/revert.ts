import {
  checkpointRingSize,
  encodeAt,
  encodeReverts,
  headerKeys,
  type RecordHeaders,
  readRecordHeaders,
  reorganisationRecord,
} from '@headrace/catalog'
import {
  type Header,
  type NewRecord,
  type Queue,
  type QueueRecord,
  RecordTooLargeError,
  type TopicPartition,
  type Transaction,
  UserError,
} from '@headrace/queue'
import { checkpointJson } from '../checkpoint/checkpoint-json.ts'
import type { CanonicalUnit } from '../checkpoint/history.ts'
import type { RunState } from '../checkpoint/run-state.ts'
import { readBackwards } from './read-backwards.ts'

/** The records of a partition from `fromSeq` to the one before `firstRevert`. */
interface SeqRange extends TopicPartition {
  readonly fromSeq: number
  readonly firstRevert: number
}

/** The records are read from the queue when they are sent. */
export interface Revert {
  readonly units: number
  readonly records: number
  readonly partitions: readonly PartitionRevert[]
}

export interface PartitionRevert extends SeqRange {
  readonly firstReverted: number
  readonly lastRevert: number
  /** Time of the reverts in ms: that of the last record before them. */
  readonly time: number
}

/**
 * Plans to revert every unit after the one with this checkpoint (`null`: all) and numbers the reverts in the state. All
 * units before must be committed.
 *
 * @throws {UserError} `reorganisation_below_final`, `records_lost`, `invalid_unit`
 */
export async function planRevert(queue: Queue, state: RunState, revertTo: unknown): Promise<Revert> {
  const target = findTarget(state, revertTo)
  const partitions: PartitionRevert[] = []
  let records = 0
  for (const [topic, counters] of state.counters) {
    for (const [partition, nextSeq] of counters.nextSeq.entries()) {
      const fromSeq = target?.nextSeq[topic]?.[partition] ?? 0
      if (nextSeq === fromSeq) continue
      const range = { topic, partition, fromSeq, firstRevert: nextSeq }
      const { count, firstReverted } = await countCanonical(queue, range)
      if (count === 0) continue
      const lastRevert = nextSeq + count - 1
      const time = counters.time[partition]!
      partitions.push({ ...range, firstReverted, lastRevert, time })
      counters.nextSeq[partition] = lastRevert + 1
      records += count
    }
  }
  return { units: state.history.forgetAfter(target?.unit ?? null), records, partitions }
}

function findTarget({ history, final }: RunState, revertTo: unknown): CanonicalUnit | undefined {
  if (revertTo === null) {
    if (final === null && history.reachesStart()) return undefined
    throw belowFinal('The source reverts to a position before every published unit that it may revert to', final?.unit)
  }
  const json = checkpointJson(revertTo, 'revertTo')
  const target = history.find(json)
  if (!target) throw belowFinal(`The source reverts every unit after the one with checkpoint ${json}`, final?.unit)
  return target
}

function belowFinal(problem: string, final: number | undefined): UserError {
  const bound =
    final === undefined ? `the last ${checkpointRingSize} units` : `units after unit ${final}, which is final,`
  return new UserError(
    'reorganisation_below_final',
    `${problem}. Only ${bound} can be reverted. Nothing was overwritten. ` +
      'The history of the source differs from what was published: check what it reads. ' +
      'To publish it from the start, set another topicVersion in manifest.yaml or use another queue.',
  )
}

async function countCanonical(queue: Queue, range: SeqRange): Promise<{ count: number; firstReverted: number }> {
  let count = 0
  let firstReverted = range.fromSeq
  for await (const records of canonicalRecords(queue, range)) {
    count += records.length
    firstReverted = records.at(-1)?.seq ?? firstReverted
  }
  return { count, firstReverted }
}

interface SendRevertOptions {
  readonly queue: Queue
  readonly writerId: string
  readonly unit: number
}

/**
 * Sends each reverted record again, in reverse order, and the reverted interval of each partition.
 *
 * @throws {UserError} `records_lost`
 */
export async function sendRevert(
  transaction: Transaction,
  revert: Revert,
  { queue, writerId, unit }: SendRevertOptions,
): Promise<void> {
  for (const place of revert.partitions) {
    let seq = place.firstRevert
    for await (const records of canonicalRecords(queue, place)) {
      for (const record of records) sendOne(transaction, place, record, encodeAt(unit, seq++))
      await transaction.drain()
    }
    const { topic, partition, firstReverted, lastRevert } = place
    if (seq !== lastRevert + 1) throw recordsLost(place, 'the oldest were removed while they were reverted')
    transaction.send(reorganisationRecord(writerId, { topic, partition, first: firstReverted, last: lastRevert, unit }))
  }
}

function sendOne(
  transaction: Transaction,
  { topic, partition, time }: PartitionRevert,
  { record, seq, headers: { error } }: CanonicalRecord,
  at: Uint8Array,
): void {
  const headers: Header[] = [
    { key: headerKeys.at, value: at },
    { key: headerKeys.op, value: revertOp },
    { key: headerKeys.reverts, value: encodeReverts(seq) },
  ]
  if (error !== undefined) headers.push({ key: headerKeys.error, value: Buffer.from(error) })
  const schema = record.headers.find(({ key }) => key === headerKeys.schema)
  if (schema) headers.push(schema)
  const revert: NewRecord = { topic, partition, key: record.key, value: record.value, headers, time }
  try {
    transaction.send(revert)
  } catch (failure) {
    // The headers of a revert can make it too large.
    if (!(failure instanceof RecordTooLargeError) || record.value === null) throw failure
    const reason = Buffer.from('record_too_large: the reverted record has the value')
    transaction.send({ ...revert, value: null, headers: [...headers, { key: headerKeys.error, value: reason }] })
  }
}

const revertOp = Buffer.from('revert')

interface CanonicalRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly headers: RecordHeaders
}

/**
 * Newest first, in batches, so that memory does not grow with the range. Records of other programs are skipped.
 * Retention may have removed the oldest.
 *
 * @throws {UserError} `records_lost`: a record in between is missing.
 */
async function* canonicalRecords(
  queue: Queue,
  range: SeqRange,
): AsyncGenerator<readonly CanonicalRecord[], void, undefined> {
  const { fromSeq } = range
  const reverted = createSeqIntervals()
  let expected = range.firstRevert - 1
  for await (const records of readBackwards(queue, range)) {
    const canonical: CanonicalRecord[] = []
    for (const record of records) {
      const headers = readRecordHeaders(record.headers)
      const { seq, reverts } = headers
      if (seq === undefined) continue
      if (seq !== expected) throw recordsLost(range, `seq ${expected} is missing; the record before it has seq ${seq}`)
      expected--
      if (seq < fromSeq) {
        yield canonical
        return
      }
      if (headers.op === 'append' && !reverted.has(seq)) canonical.push({ record, seq, headers })
      else if (reverts !== undefined && reverts >= fromSeq) reverted.add(reverts)
    }
    yield canonical
  }
}

function recordsLost({ topic, partition }: Pick<SeqRange, 'topic' | 'partition'>, what: string): UserError {
  return new UserError(
    'records_lost',
    `The source reverts records that "${topic}" partition ${partition} no longer holds: ${what}. Nothing was ` +
      'overwritten. Find out what removed them. Publish to new topics: set another topicVersion in manifest.yaml.',
  )
}

/** Intervals, because the records of a reorganisation are adjacent. */
function createSeqIntervals() {
  const intervals: { first: number; last: number }[] = []
  return {
    add(seq: number) {
      const newest = intervals.at(-1)
      if (newest && seq === newest.last + 1) newest.last = seq
      else if (newest && seq === newest.first - 1) newest.first = seq
      else intervals.push({ first: seq, last: seq })
    },
    has: (seq: number) => intervals.some(({ first, last }) => first <= seq && seq <= last),
  }
}
