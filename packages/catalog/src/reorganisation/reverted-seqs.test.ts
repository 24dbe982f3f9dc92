import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRevertedSeqs, type SeqInterval } from './reverted-seqs.ts'

/** Intervals as a writer creates them, oldest first. Each ends after the previous ones and contains or excludes each. */
const histories: fc.Arbitrary<SeqInterval[]> = fc
  .array(fc.tuple(fc.nat(12), fc.nat(4), fc.nat(40)), { maxLength: 12 })
  .map((reverts) => {
    const intervals: SeqInterval[] = []
    let end = 0
    for (const [appended, reverted, back] of reverts) {
      end += appended
      let first = Math.max(0, end - 1 - back)
      for (const older of intervals) if (older.first < first && first <= older.last) first = older.first
      if (first >= end) continue
      intervals.push({ first, last: end + reverted })
      end += reverted + 1
    }
    return intervals
  })

/** The seqs that are dead as of a head, one by one. */
function deadAt(intervals: readonly SeqInterval[], asOf: number | null): Set<number> {
  const dead = new Set<number>()
  for (const { first, last } of intervals)
    if (asOf === null || last < asOf) for (let seq = first; seq <= last; seq++) dead.add(seq)
  return dead
}

function expectUnion(history: readonly SeqInterval[], added: readonly SeqInterval[]): void {
  const seqs = createRevertedSeqs()
  for (const interval of added) seqs.add(interval)
  const end = (history.at(-1)?.last ?? 0) + 3
  for (const asOf of [null, ...history.flatMap(({ last }) => [last, last + 1])]) {
    const found = new Set<number>()
    for (let seq = 0; seq < end; seq++) {
      const interval = seqs.around(seq, asOf)
      for (let dead = interval?.first ?? 1; dead <= (interval?.last ?? 0); dead++) found.add(dead)
    }
    expect(found, `as of ${asOf}`).toEqual(deadAt(history, asOf))
  }
}

test('the reverted seqs as of any head are the union of the intervals that had ended before it', () => {
  fc.assert(fc.property(histories, (history) => expectUnion(history, history)))
})

test('intervals may be added repeatedly and in any order', () => {
  const repeated = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray([...history, ...history], { minLength: 2 * history.length, maxLength: 2 * history.length }),
    ),
  )
  fc.assert(fc.property(repeated, ([history, intervals]) => expectUnion(history, intervals)))
})

test('the widest interval around a seq is returned', () => {
  const seqs = createRevertedSeqs()
  seqs.add({ first: 5, last: 9 })
  seqs.add({ first: 3, last: 20 })
  seqs.add({ first: 30, last: 31 })
  expect(seqs.around(6, null)).toMatchObject({ first: 3, last: 20 })
  expect(seqs.around(6, 20)).toMatchObject({ first: 5, last: 9 })
  expect(seqs.around(6, 9)).toBeUndefined()
  expect(seqs.around(21, null)).toBeUndefined()
})
