import { type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { readBackwards } from './read-backwards.ts'
import { createSeqIntervals } from './seq-intervals.ts'

/** A record that nothing has taken back yet. */
export interface StandingRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly headers: RecordHeaders
}

/**
 * The records of a partition from a seq on that still stand, newest first, some at a time: what memory holds does not
 * grow with how far back they reach.
 *
 * A revert comes after what it takes back, so on the way back it is met first: it, and the record that it names, are
 * dead. Records without a seq are not of this project and left out.
 */
export async function* standingRecords(
  queue: Queue,
  place: { readonly topic: string; readonly partition: number },
  fromSeq: number,
): AsyncGenerator<readonly StandingRecord[], void, undefined> {
  const dead = createSeqIntervals()
  for await (const records of readBackwards(queue, place)) {
    const standing: StandingRecord[] = []
    for (const record of records) {
      const headers = readRecordHeaders(record.headers)
      const { seq, reverts } = headers
      if (seq === undefined) continue
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
