import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRevertOrder, type OrderedRecord } from './revert-order.ts'

type Records = Omit<OrderedRecord, 'missing'>[]

/** The records of a writer in one partition: each unit has a number of records, and reverts a number of canonical ones. */
const histories: fc.Arbitrary<Records> = fc.array(fc.tuple(fc.nat(5), fc.nat(6)), { maxLength: 20 }).map((units) => {
  const records: Records = []
  const canonical: number[] = []
  for (const [index, [appended, reverted]] of units.entries()) {
    const unit = index + 1
    for (const reverts of reverted > 3 ? canonical.splice(-reverted).reverse() : [])
      records.push({ seq: records.length, unit, op: 'revert', reverts })
    for (let count = 0; count < appended; count++) {
      canonical.push(records.length)
      records.push({ seq: records.length, unit, op: 'append' })
    }
  }
  return records
})

/** The interval of each unit with reverts: from the oldest reverted record to the last revert. */
function intervalsOf(records: Records) {
  const reverts = Map.groupBy(
    records.filter(({ op }) => op === 'revert'),
    ({ unit }) => unit,
  )
  return [...reverts].map(([unit, list]) => ({
    unit,
    first: Math.min(...list.map((record) => record.reverts!)),
    last: list.at(-1)!.seq,
  }))
}

/** Adds all records except the lost one. */
function follow(records: Records, lost?: number) {
  const order = createRevertOrder(lost === undefined ? [] : intervalsOf(records))
  const wrong = records.flatMap((record, at) => {
    if (at === lost) return []
    const expected = order.take({ ...record, missing: lost !== undefined && at === lost + 1 ? 1 : 0 })
    return expected === undefined ? [] : [{ seq: record.seq, expected }]
  })
  return { wrong, intervals: order.intervals() }
}

describe('reverts', () => {
  test('in the reverse order of canonical records are correct, and determine the reverted intervals', () => {
    fc.assert(
      fc.property(histories, (records) => {
        expect(follow(records)).toEqual({ wrong: [], intervals: intervalsOf(records) })
      }),
    )
  })

  test('are correct if one of them is missing and the published interval replaces it', () => {
    const lost = histories
      .filter((records) => records.length > 1)
      .chain((records) => fc.tuple(fc.constant(records), fc.nat(records.length - 2)))
    fc.assert(
      fc.property(lost, ([records, at]) => {
        expect(follow(records, at)).toEqual({ wrong: [], intervals: intervalsOf(records) })
      }),
    )
  })

  test('are correct if earlier records were removed', () => {
    fc.assert(
      fc.property(histories, fc.nat(60), (records, removed) => {
        const { wrong, intervals } = follow(records.slice(removed))
        expect(wrong).toEqual([])
        const kept = intervalsOf(records).filter(({ last }) => last >= removed)
        expect(intervals).toEqual(kept)
      }),
    )
  })

  test('that skip a record are reported once', () => {
    const records: Records = [0, 1, 2, 3].map((seq) => ({ seq, unit: seq + 1, op: 'append' }))
    for (const [at, reverts] of [3, 1, 0].entries()) records.push({ seq: 4 + at, unit: 5, op: 'revert', reverts })
    expect(follow(records).wrong).toEqual([{ seq: 5, expected: 2 }])
  })

  test('with one wrong record are reported once', () => {
    const records: Records = [0, 1, 2, 3].map((seq) => ({ seq, unit: seq + 1, op: 'append' }))
    for (const [at, reverts] of [3, 0, 1].entries()) records.push({ seq: 4 + at, unit: 5, op: 'revert', reverts })
    expect(follow(records)).toEqual({
      wrong: [{ seq: 5, expected: 2 }],
      intervals: [{ unit: 5, first: 1, last: 6 }],
    })
  })
})
