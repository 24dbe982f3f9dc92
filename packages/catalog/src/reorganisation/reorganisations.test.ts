import { PositionLostError, type Queue } from '@headrace/queue'
import { expect, test } from 'vitest'
import { createReorganisations, reorganisationRecord } from './reorganisations.ts'

const writerId = 'acme.shop.1_0_0/main'

/** A queue whose `_headrace.reorgs` has the id and the intervals of `log`: the first and last seq, all of topic `a`. */
function openReorgs() {
  const log = { id: 'one', intervals: [] as [number, number][] }
  const end = () => BigInt(log.intervals.length)
  const queue = {
    highWatermark: async () => end(),
    describe: async () => [{ id: log.id, partitions: Array(64).fill({ earliest: 0n, end: end() }) }],
    async read(at: { topic: string; partition: number; offset: bigint; topicId?: string }) {
      const lost = at.topicId !== log.id
      if (lost || at.offset > end()) throw new PositionLostError(at, { earliest: 0n, end: end() })
      const records = log.intervals.slice(Number(at.offset)).map(([first, last]) => {
        return reorganisationRecord(writerId, { topic: 'a', partition: 0, first, last, unit: 1 })
      })
      return { batches: [{ records: () => records }], next: end(), end: end() }
    },
  } as unknown as Queue
  return { log, reorganisations: createReorganisations(queue, { writerId, waitMs: 100 }) }
}

test.each([
  ['was truncated', 'one', 1],
  ['was created again', 'two', 3],
])('a log that %s has only its current intervals reverted', async (_, id, length) => {
  const { log, reorganisations } = openReorgs()
  const isDead = async (seq: number) => {
    await reorganisations.catchUp()
    return reorganisations.of('a', 0).around(seq, null) !== undefined
  }
  log.intervals = [
    [0, 9],
    [20, 29],
  ]
  expect(await isDead(5)).toBe(true)
  Object.assign(log, { id, intervals: Array(length).fill([40, 49]) })
  expect(await isDead(45)).toBe(true)
  expect(await isDead(5)).toBe(false)
})
