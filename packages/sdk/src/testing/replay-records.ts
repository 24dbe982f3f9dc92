import { assertEqual } from './assert-equal.ts'
import type { PublishedRecord } from './published-record.ts'

/**
 * Plays the records of one partition as a reader does, and returns those that stand.
 *
 * Asserts what every reader may rely on: seqs without holes, times and unit numbers that never go back, and that each
 * revert takes back the newest record that stands, and equals it.
 *
 * @throws {AssertionError}
 */
export function replayRecords(records: readonly PublishedRecord[]): PublishedRecord[] {
  const standing: PublishedRecord[] = []
  let newest: PublishedRecord | undefined
  for (const [index, record] of records.entries()) {
    const where = `Record ${index} of partition ${record.partition}`
    assertEqual(record.seq, index, `${where} has another seq than its place.`)
    if (newest) assertInOrder(newest, record, where)
    newest = record
    if (record.op === 'append') {
      standing.push(record)
      continue
    }
    const taken = standing.pop()
    assertEqual(record.reverts, taken?.seq, `${where} takes back another record than the newest that stands.`)
    assertEqual(content(record), taken && content(taken), `${where} differs from the record that it takes back.`)
  }
  return standing
}

function assertInOrder(before: PublishedRecord, record: PublishedRecord, where: string): void {
  if (record.time < before.time) assertEqual(record.time, before.time, `${where} is earlier than the one before.`)
  if (record.unit! < before.unit!) assertEqual(record.unit, before.unit, `${where} is of an earlier unit.`)
}

function content({ key, value, error }: PublishedRecord): object {
  return { key, value, error }
}
