import { deadIntervalRecord, encodeAt, encodeReverts, headerKeys } from '@headrace/catalog'
import { type Header, type NewRecord, type Queue, RecordTooLargeError, type Transaction } from '@headrace/queue'
import type { PartitionRevert, Revert } from './revert.ts'
import { recordsLost, type StandingRecord, standingRecords } from './standing-records.ts'

export interface SendRevertOptions {
  readonly queue: Queue
  readonly writerId: string
  /** Number of the unit that takes back. */
  readonly unit: number
}

/**
 * Sends what takes records back: each again, in the reverse order of its partition, as it was but for its numbers, and
 * for each partition the interval that is dead from now on.
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
    for await (const records of standingRecords(queue, { ...place, endSeq: place.firstRevert })) {
      for (const record of records) sendOne(transaction, place, record, encodeAt(unit, seq++))
      await transaction.drain()
    }
    const { topic, partition, firstDead, lastDead } = place
    if (seq !== lastDead + 1) throw recordsLost(place, 'the oldest of it went while it was being taken back')
    transaction.send(deadIntervalRecord(writerId, { topic, partition, first: firstDead, last: lastDead, unit }))
  }
}

function sendOne(
  transaction: Transaction,
  { topic, partition, time }: PartitionRevert,
  { record, seq, headers: { error } }: StandingRecord,
  at: Uint8Array,
): void {
  const headers: Header[] = [
    { key: headerKeys.at, value: at },
    { key: headerKeys.op, value: revertOp },
    { key: headerKeys.reverts, value: encodeReverts(seq) },
  ]
  if (error !== undefined) headers.push({ key: headerKeys.error, value: Buffer.from(error) })
  const revert: NewRecord = { topic, partition, key: record.key, value: record.value, headers, time }
  try {
    transaction.send(revert)
  } catch (failure) {
    // Its own headers make it larger than the record it takes back, which was close to what the topic takes.
    if (!(failure instanceof RecordTooLargeError) || record.value === null) throw failure
    const reason = {
      key: headerKeys.error,
      value: Buffer.from('record_too_large: the record taken back has the value'),
    }
    transaction.send({ ...revert, value: null, headers: [...headers, reason] })
  }
}

const revertOp = Buffer.from('revert')
