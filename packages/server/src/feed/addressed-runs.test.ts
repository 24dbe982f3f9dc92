import { createReaderPosition, decodeCursor, type ReaderPosition } from '@headrace/catalog'
import { expect, test } from 'vitest'
import type { Run } from '../history/run.ts'
import type { Place, RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import { createAddressRun } from './feed.ts'

const topicOf = (partitions: number): ServedTopic => ({
  name: 'a.b',
  id: 'id',
  partitions,
  content: {} as ServedTopic['content'],
  format: {} as ServedTopic['format'],
  writerId: 'a/main',
  render: () => {
    throw new Error('Nothing is rendered again.')
  },
  cursorAt: () => {
    throw new Error('Only what is rendered has its cursor from there.')
  },
})

const record = (partition: number, offset: number, cursor: string): RenderedRecord => {
  const json = Buffer.from(`{"offset":"${offset}","cursor":"${cursor}"}`)
  return { partition, offset: BigInt(offset), seq: offset, time: 0, cursorLength: cursor.length, json }
}

const runOf = (topic: ServedTopic, records: readonly RenderedRecord[]): Run => ({
  ...{ topic, partition: records[0]!.partition, from: records[0]!.offset, to: records.at(-1)!.offset + 3n },
  ...{ records, byteLength: 0 },
})

const place = (offset: number): Place => ({ offset: BigInt(offset), seq: offset })
const at = (topic: ServedTopic, ...offsets: number[]): ReaderPosition =>
  createReaderPosition(topic, { partitions: offsets.map(place) })
/** The offset of each record, and those of its cursor. */
const placesOf = ({ records }: Run) =>
  records.map(({ json }) => {
    const { offset, cursor } = JSON.parse(Buffer.from(json).toString())
    const { partitions } = decodeCursor(cursor).topics[0]!
    return `${offset}: ${partitions.map(({ offset }) => offset).join('-')}`
  })

test('readers of a single partition get the rendered run, and continue after it', () => {
  const topic = topicOf(1)
  const run = runOf(topic, [record(0, 5, '6'), record(0, 6, '7')])
  const reader = at(topic, 5)
  expect(createAddressRun()(run, reader)).toBe(run)
  expect(reader.places).toEqual([{ offset: 9n, seq: 7 }])
})

test('readers at equal positions share one run, whose cursors hold their positions in all partitions', () => {
  const topic = topicOf(3)
  const run = runOf(topic, [record(1, 5, ''), record(1, 6, '')])
  const address = createAddressRun()
  const readers = [at(topic, 4, 5, 8), at(topic, 4, 5, 8), at(topic, 4, 5, 9)]
  const [first, second, third] = readers.map((reader) => address(run, reader))
  expect(second).toBe(first)
  expect(placesOf(first!)).toEqual(['5: 4-6-8', '6: 4-7-8'])
  expect(placesOf(third!)).toEqual(['5: 4-6-9', '6: 4-7-9'])
  for (const [index, { places }] of readers.entries())
    expect(places.map(({ offset }) => offset)).toEqual([4n, 9n, index === 2 ? 9n : 8n])
})

test('a reader of the canonical view does not share the runs of log readers', () => {
  const topic = topicOf(1)
  const run = runOf(topic, [record(0, 5, 'shared')])
  const reader = createReaderPosition(topic, { partitions: [place(5)], asOf: [place(20)] })
  expect(placesOf(createAddressRun()(run, reader))).toEqual(['5: 6'])
})
