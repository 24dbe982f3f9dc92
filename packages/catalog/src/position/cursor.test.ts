import { UserError } from '@headrace/queue'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonWriter } from '../record-json/json-writer.ts'
import { type Cursor, type CursorTopic, cursorLimit, decodeCursor, encodeCursor } from './cursor.ts'
import { createCursorWriter } from './cursor-writer.ts'

const place = fc.record({
  offset: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.nat(300).map(BigInt)),
  seq: fc.option(fc.nat(2 ** 31)),
})
const names = {
  id: fc.stringMatching(/^[A-Za-z0-9_-]{1,22}$/),
  topic: fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/),
}
const ahead = fc.tuple(place, fc.bigInt({ min: 1n, max: 2n ** 40n }), fc.option(fc.nat(2 ** 31)), fc.boolean())
const topics: fc.Arbitrary<CursorTopic> = fc.oneof(
  fc.record({ ...names, partitions: fc.array(place, { minLength: 1, maxLength: 6 }) }),
  fc.record({ ...names, places: fc.array(ahead, { minLength: 1, maxLength: 4 }) }).map(({ places, ...named }) => ({
    ...named,
    partitions: places.map(([at]) => at),
    asOf: places.map(([at, offsets, seq, past]) =>
      past || at.offset > 2n ** 62n ? at : { offset: at.offset + offsets, seq },
    ),
  })),
)
const cursors: fc.Arbitrary<Cursor> = fc.record({
  topics: fc.uniqueArray(topics, { minLength: 1, maxLength: 8, selector: ({ topic }) => topic }),
})

describe('cursors', () => {
  it('are decoded to what was encoded', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encodeCursor(cursor)
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(text.length).toBeLessThanOrEqual(cursorLimit)
        expect(decodeCursor(text)).toEqual(cursor)
      }),
    )
  })

  it('of a topic with one partition are written as they are encoded', () => {
    const any = fc.property(names.id, names.topic, fc.array(place), (id, topic, places) => {
      const write = createCursorWriter(id, topic)
      const out = new JsonWriter()
      for (const place of places) {
        out.reset()
        const cursor = encodeCursor({ topics: [{ id, topic, partitions: [place] }] })
        expect(write(out, place)).toBe(cursor.length)
        expect(`${out.toBytes()}`).toBe(cursor)
      }
    })
    fc.assert(any)
  })

  it('keep the largest offsets and seqs', () => {
    const partitions = [{ offset: 2n ** 63n - 1n, seq: Number.MAX_SAFE_INTEGER - 1 }]
    const cursor = { topics: [{ id: 'id', topic: 'a', partitions }] }
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor)
  })

  it('of one topic with 64 partitions are never too long, with or without asOf', () => {
    const place = { offset: 2n ** 62n, seq: Number.MAX_SAFE_INTEGER - 1 }
    const head = { ...place, offset: 2n ** 63n - 1n }
    const topic = { id: 'i'.repeat(64), topic: 't'.repeat(249), partitions: Array(64).fill(place) }
    for (const entry of [topic, { ...topic, asOf: Array(64).fill(head) }]) {
      const text = encodeCursor({ topics: [entry] })
      expect(text.length).toBeLessThanOrEqual(cursorLimit)
      expect(decodeCursor(text)).toEqual({ topics: [entry] })
    }
  })

  it('have their own offset as asOf if it is after the head', () => {
    const [place, head] = [
      { offset: 20n, seq: 17 },
      { offset: 12n, seq: 9 },
    ]
    const cursor = { topics: [{ id: 'id', topic: 'a', partitions: [place], asOf: [head] }] }
    expect(decodeCursor(encodeCursor(cursor)).topics[0]!.asOf).toEqual([place])
  })

  it('are decoded or refused with invalid_cursor, for any text', () => {
    const damaged = fc
      .tuple(cursors.map(encodeCursor), fc.nat(), fc.stringMatching(/^[A-Za-z0-9_-]{0,3}$/))
      .map(
        ([text, at, change]) =>
          text.slice(0, at % (text.length + 1)) + change + text.slice((at % (text.length + 1)) + 1),
      )
    const bytes = fc
      .tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 200 }))
      .map(([form, random]) => Buffer.from([form, ...random]).toString('base64url'))
    let refused = 0
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged, bytes), (text) => {
        try {
          expect(encodeCursor(decodeCursor(text))).toBeTypeOf('string')
        } catch (error) {
          refused++
          expect(error).toBeInstanceOf(UserError)
          expect(error).toMatchObject({ code: 'invalid_cursor' })
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(1000)
  })

  it.each([
    ['too long', 'A'.repeat(4097)],
    ['of another version', Buffer.from([3, 1, 97, 1, 97, 0]).toString('base64url')],
    ['with a topic twice', Buffer.from([1, 1, 97, 1, 97, 0, 1, 97, 1, 97, 0]).toString('base64url')],
    ['with more partitions than a topic can have', Buffer.from([1, 1, 97, 1, 97, 65]).toString('base64url')],
    ['with a name longer than the cursor', Buffer.from([1, 1, 97, 0xff, 0xff, 0xff, 0x0f]).toString('base64url')],
    ['with a name that no topic has', Buffer.from([1, 1, 97, 1, 10, 0]).toString('base64url')],
    ['without topics', Buffer.from([1]).toString('base64url')],
  ])('are refused if they are %s', (_, text) => {
    expect(() => decodeCursor(text)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
  })

  it('are refused instead of exceeding the limit', () => {
    const topics = Array.from({ length: 100 }, (_, index) => ({
      id: 'i'.repeat(22),
      topic: `headrace.evm.1_0_0.ethereum_Number${index}`,
      partitions: [{ offset: 1n, seq: 1 }],
    }))
    expect(() => encodeCursor({ topics })).toThrow(expect.objectContaining({ code: 'cursor_too_long' }))
  })
})
