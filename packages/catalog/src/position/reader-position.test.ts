import { expect, test } from 'vitest'
import { decodeCursor } from './cursor.ts'
import { createReaderPosition } from './reader-position.ts'

const place = (offset: number) => ({ offset: BigInt(offset), seq: offset })
const topic = { id: 'id', name: 'a.b' }
const placesIn = (cursor: string) => decodeCursor(cursor).topics[0]!.partitions.map(({ seq }) => seq)

test.each([
  ['asc', [6, 9]],
  ['desc', [5, 9]],
] as const)(
  'a reader in order %s has a cursor after each record, and passes the record in this order',
  (order, seqsAfter) => {
    const reader = createReaderPosition(topic, { partitions: [place(7), place(9)] }, order)
    const record = { partition: 0, ...place(5) }
    expect(placesIn(reader.cursorAfter(record))).toEqual([6, 9])
    expect(placesIn(reader.cursor())).toEqual([7, 9])
    reader.pass(record)
    expect(placesIn(reader.cursor())).toEqual(seqsAfter)
  },
)

test('a reader of the canonical view switches to the log at its head, in all partitions together', () => {
  const asOf = [place(7), place(9)]
  const reader = createReaderPosition(topic, { partitions: [place(7), place(8)], asOf })
  reader.switchToLog()
  expect(reader.entry().asOf).toEqual(asOf)
  reader.move(1, place(9))
  reader.switchToLog()
  expect(reader.entry()).not.toHaveProperty('asOf')
})
