import { type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import { type Queue, type QueueRecord, UserError } from '@headrace/queue'
import { readBackwards } from './read-backwards.ts'
import { createSeqIntervals } from './seq-intervals.ts'

/** A record that nothing has taken back yet. */
export interface StandingRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly headers: RecordHeaders
}

/** A stretch of the records of a partition. */
export interface SeqRange {
  readonly topic: string
  readonly partition: number
  /** Seq of its first record. */
  readonly fromSeq: number
  /** Seq after its last record, which is the newest one that is committed. */
  readonly endSeq: number
}

/**
 * The records of a stretch that still stand, newest first, some at a time: what memory holds does not grow with how far
 * back they reach.
 *
 * A revert comes after what it takes back, so on the way back it is met first: it, and the record that it names, are
 * dead. Records without a seq are not of this project and left out. The oldest may have been removed.
 *
 * @throws {UserError} `records_lost`: others are not there.
 */
export async function* standingRecords(
  queue: Queue,
  range: SeqRange,
): AsyncGenerator<readonly StandingRecord[], void, undefined> {
  const { fromSeq } = range
  const dead = createSeqIntervals()
  let expected = range.endSeq - 1
  for await (const records of readBackwards(queue, range)) {
    const standing: StandingRecord[] = []
    for (const record of records) {
      const headers = readRecordHeaders(record.headers)
      const { seq, reverts } = headers
      if (seq === undefined) continue
      if (seq !== expected) throw recordsLost(range, `seq ${expected} is missing, and what is before it has seq ${seq}`)
      expected--
      if (seq < fromSeq) {
        yield standing
        return
      }
      if (headers.op === 'append' && !dead.has(seq)) standing.push({ record, seq, headers })
      else if (reverts !== undefined && reverts >= fromSeq) dead.add(reverts)
    }
    yield standing
  }
}

/** `what` is not there, in words without a full stop. */
export function recordsLost({ topic, partition }: Pick<SeqRange, 'topic' | 'partition'>, what: string): UserError {
  return new UserError(
    'records_lost',
    `What the source takes back is not all in "${topic}" partition ${partition} any more: ${what}. Nothing was ` +
      'overwritten. Find out what has removed it. Publish anew: set another topicVersion in manifest.yaml.',
  )
}
