import { AssertionError, deepStrictEqual } from 'node:assert'
import type { PublishedRecord } from './published-record.ts'

/**
 * Replays the records of one partition as a reader does, and returns the canonical ones.
 *
 * @throws {AssertionError} seqs have holes, times or unit numbers decrease, or a revert does not revert and equal the
 *   newest canonical record.
 */
export function replayRecords(records: readonly PublishedRecord[]): PublishedRecord[] {
  const canonical: PublishedRecord[] = []
  let newest: PublishedRecord | undefined
  for (const [index, record] of records.entries()) {
    const where = `Record ${index} of partition ${record.partition}`
    assertEqual(record.seq, index, `${where} has another seq than expected.`)
    if (newest) assertInOrder(newest, record, where)
    newest = record
    if (record.op === 'append') {
      canonical.push(record)
      continue
    }
    const taken = canonical.pop()
    assertEqual(record.reverts, taken?.seq, `${where} reverts another record than the newest canonical one.`)
    assertEqual(content(record), taken && content(taken), `${where} differs from the record that it reverts.`)
  }
  return canonical
}

function assertInOrder(before: PublishedRecord, record: PublishedRecord, where: string): void {
  if (record.time < before.time) assertEqual(record.time, before.time, `${where} is earlier than the one before.`)
  if (record.unit! < before.unit!) assertEqual(record.unit, before.unit, `${where} is of an earlier unit.`)
}

function content({ key, value, error }: PublishedRecord): object {
  return { key, value, error }
}

export function assertEqual(actual: unknown, expected: unknown, about: string): void {
  try {
    deepStrictEqual(actual, expected)
  } catch (error) {
    throw new AssertionError({
      message: `${about}\n${(error as Error).message}`,
      actual,
      expected,
      operator: 'deepStrictEqual',
      stackStartFn: assertEqual,
    })
  }
}
