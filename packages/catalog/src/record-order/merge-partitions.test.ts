import { expect, test } from 'vitest'
import { mergePartitions, type OrderedRecord, type RecordOrder } from './merge-partitions.ts'

interface Record extends OrderedRecord {
  readonly offset: number
}

const record = (partition: number, offset: number, time: number): Record => ({ partition, offset, time })

async function* listsOf(...lists: Record[][]) {
  yield* lists
}

async function merge(partitions: Record[][][], order: RecordOrder): Promise<string[]> {
  const merged: string[] = []
  const lists = partitions.map((each) => listsOf(...each))
  for await (const records of mergePartitions(lists, order)) {
    expect(records).not.toHaveLength(0)
    merged.push(...records.map(({ partition, offset }) => `${partition}:${offset}`))
  }
  return merged
}

test('records of several partitions are merged by time, then by partition', async () => {
  const partitions = [
    [[record(0, 0, 10), record(0, 1, 30)], [], [record(0, 2, 50)]],
    [[], [record(1, 0, 10)], [record(1, 1, 20), record(1, 2, 50)]],
    [],
  ]
  expect(await merge(partitions, 'asc')).toEqual(['0:0', '1:0', '1:1', '0:1', '0:2', '1:2'])
})

test('newest first is the exact reverse', async () => {
  const partitions = [
    [[record(0, 2, 50)], [record(0, 1, 30), record(0, 0, 10)]],
    [[record(1, 2, 50), record(1, 1, 20)], [record(1, 0, 10)]],
  ]
  expect(await merge(partitions, 'desc')).toEqual(['1:2', '0:2', '0:1', '1:1', '1:0', '0:0'])
})

test('a partition keeps its order for any times', async () => {
  const partitions = [[[record(0, 0, 90), record(0, 1, 10)]], [[record(1, 0, 50)]]]
  expect(await merge(partitions, 'asc')).toEqual(['1:0', '0:0', '0:1'])
})
