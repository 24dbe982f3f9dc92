import { PositionLostError, type Queue, type ReadLimits } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import { loadRun } from './load-run.ts'

const topic = {
  ...{ name: 'a.b', id: 'id', partitions: 1 },
  render: ({ offset }: { offset: bigint }) => ({ partition: 0, offset, seq: null, json: new Uint8Array(10) }),
} as unknown as ServedTopic
const range = { partition: 0, from: 0n, to: 10n, maxBytes: 1 << 20 }

/** A queue that has records at 0 to 7 and nothing visible from there to 10, of which it tells after so many answers. */
function openQueue(silent: number) {
  const waits: number[] = []
  const read = async ({ offset }: { offset: bigint }, { maxWaitMs = 0 }: ReadLimits) => {
    waits.push(maxWaitMs)
    if (waits.length <= silent) return { batches: [], next: offset, end: 10n }
    if (offset >= 8n) return { batches: [], next: 10n, end: 10n }
    const records = Array.from({ length: 8 }, (_, n) => ({ offset: BigInt(n) }))
    return { batches: [{ records: () => records }], next: 8n, end: 10n }
  }
  return { waits, queue: { read } as unknown as Queue }
}

test('nothing is waited for behind the last record', async () => {
  const { queue, waits } = openQueue(0)
  const run = await loadRun(queue, topic, range)
  expect(run).toMatchObject({ from: 0n, to: 10n })
  expect(run.records).toHaveLength(8)
  expect(waits).toEqual([0, 0])
})

test('a leader that says nothing at first is waited for', async () => {
  const { queue, waits } = openQueue(1)
  expect((await loadRun(queue, topic, range)).records).toHaveLength(8)
  expect(waits[1]).toBeGreaterThan(0)
})

test('what is not there after the wait is lost', async () => {
  await expect(loadRun(openQueue(2).queue, topic, range)).rejects.toThrow(PositionLostError)
})
