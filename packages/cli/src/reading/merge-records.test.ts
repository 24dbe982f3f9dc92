import type { QueueRecord } from '@headrace/queue'
import { expect, test } from 'vitest'
import { mergeRecords, type Order } from './merge-records.ts'

const record = (partition: number, offset: number, time: number): QueueRecord => ({
  topic: 'acme.shop.1_0_0.shop_Order',
  partition,
  offset: BigInt(offset),
  time,
  key: null,
  value: null,
  headers: [],
})

async function* listsOf(...lists: QueueRecord[][]) {
  yield* lists
}

async function merge(partitions: QueueRecord[][][], order: Order): Promise<string[]> {
  const merged: string[] = []
  for await (const records of mergeRecords(
    partitions.map((lists) => listsOf(...lists)),
    order,
  )) {
    expect(records).not.toHaveLength(0)
    merged.push(...records.map(({ partition, offset }) => `${partition}:${offset}`))
  }
  return merged
}

test('records of several partitions come by time, and by partition where it is equal', async () => {
  const partitions = [
    [[record(0, 0, 10), record(0, 1, 30)], [record(0, 2, 50)]],
    [[record(1, 0, 10)], [record(1, 1, 20), record(1, 2, 50)]],
    [],
  ]
  expect(await merge(partitions, 'asc')).toEqual(['0:0', '1:0', '1:1', '0:1', '0:2', '1:2'])
})

test('newest first is exactly the reverse', async () => {
  const partitions = [
    [[record(0, 2, 50)], [record(0, 1, 30), record(0, 0, 10)]],
    [[record(1, 2, 50), record(1, 1, 20)], [record(1, 0, 10)]],
  ]
  expect(await merge(partitions, 'desc')).toEqual(['1:2', '0:2', '0:1', '1:1', '1:0', '0:0'])
})

test('a partition stays in its own order whatever the times say', async () => {
  const partitions = [[[record(0, 0, 90), record(0, 1, 10)]], [[record(1, 0, 50)]]]
  expect(await merge(partitions, 'asc')).toEqual(['1:0', '0:0', '0:1'])
})
