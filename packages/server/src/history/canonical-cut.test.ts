import type { RecordOrder, RevertedSeqs, SeqInterval } from '@headrace/catalog'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { History } from './history.ts'
import { readRange } from './range.ts'

interface Log {
  /** Some offsets have no record; if records were lost, there are fewer offsets than seqs. */
  readonly records: readonly RenderedRecord[]
  readonly end: bigint
  readonly intervals: readonly SeqInterval[]
  /** Seq of the head. */
  readonly asOf: number
}

const topic = { name: 'a.b' } as ServedTopic

const logs = (lossy: boolean): fc.Arbitrary<Log> =>
  fc
    .record({
      gaps: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(20)), { minLength: 1, maxLength: 600 }),
      lost: fc.array(
        fc.nat(9).map((n) => n === 0),
        { minLength: 600, maxLength: 600 },
      ),
      cuts: fc.array(fc.tuple(fc.nat(599), fc.nat(300)), { maxLength: 5 }),
      asOf: fc.nat(600),
    })
    .map(({ gaps, lost, cuts, asOf }) => {
      let offset = 0n
      const records: RenderedRecord[] = []
      for (const [seq, gap] of gaps.entries()) {
        if (lossy && lost[seq]) continue
        if (!lossy) offset += BigInt(gap)
        records.push({ partition: 0, offset, seq, time: 0, cursorLength: 0, json: new Uint8Array(1) })
        offset++
      }
      return { records, end: offset, intervals: cuts.map(([first, more]) => ({ first, last: first + more })), asOf }
    })

/** Returns few records at a time. */
function historyOf({ records }: Log, offsets: bigint): { history: History; given: () => number } {
  let given = 0
  const runOf = (from: bigint, to: bigint) => {
    const found = records.filter(({ offset }) => offset >= from && offset < to)
    given += found.length
    return { topic, partition: 0, from, to, records: found, byteLength: found.length }
  }
  const history: History = {
    after: async (_topic, { from, to }) => runOf(from, from + offsets < to ? from + offsets : to),
    before: async (_topic, { from, to }) => runOf(to - offsets > from ? to - offsets : from, to),
    select: () => history,
    offer() {},
    invalidate() {},
    generationOf: () => 0,
  }
  return { history, given: () => given }
}

async function readSeqs(log: Log, history: History, order: RecordOrder): Promise<(number | null)[]> {
  const reverted: RevertedSeqs = {
    add() {},
    around: (seq, asOf) => log.intervals.find(({ first, last }) => last < asOf! && first <= seq && seq <= last),
  }
  const canonical = { asOf: [{ offset: log.end, seq: log.asOf }], reverted: [reverted] }
  const seqs: (number | null)[] = []
  const range = { topic, partition: 0, from: 0n, to: log.end, order, canonical }
  for await (const records of readRange(history, range)) seqs.push(...records.map(({ seq }) => seq))
  return seqs
}

const canonical = ({ records, intervals, asOf }: Log) =>
  records
    .map(({ seq }) => seq!)
    .filter((seq) => !intervals.some(({ first, last }) => last < asOf && first <= seq && seq <= last))

test.each(['asc', 'desc'] as const)(
  '%s, the canonical records as of the head are read once and in order',
  async (order) => {
    await fc.assert(
      fc.asyncProperty(logs(false), fc.bigInt({ min: 1n, max: 9n }), async (log, offsets) => {
        const seqs = await readSeqs(log, historyOf(log, offsets).history, order)
        expect(seqs).toEqual(order === 'asc' ? canonical(log) : canonical(log).toReversed())
      }),
      { numRuns: 500 },
    )
  },
)

test.each(['asc', 'desc'] as const)('%s, no canonical record is skipped if records are missing', async (order) => {
  await fc.assert(
    fc.asyncProperty(logs(true), fc.bigInt({ min: 1n, max: 9n }), async (log, offsets) => {
      const seqs = await readSeqs(log, historyOf(log, offsets).history, order)
      expect(seqs).toEqual(order === 'asc' ? canonical(log) : canonical(log).toReversed())
    }),
    { numRuns: 500 },
  )
})

test.each(['asc', 'desc'] as const)('%s, the records of a long reverted interval are not read', async (order) => {
  const records = Array.from({ length: 20_000 }, (_, seq): RenderedRecord => {
    return { partition: 0, offset: BigInt(seq + (seq >> 3)), seq, time: 0, cursorLength: 0, json: new Uint8Array(1) }
  })
  const log: Log = { records, end: 22_500n, intervals: [{ first: 100, last: 19_899 }], asOf: 20_000 }
  const { history, given } = historyOf(log, 64n)
  expect(await readSeqs(log, history, order)).toHaveLength(200)
  expect(given()).toBeLessThan(1000)
})
