import { UserError } from '@headrace/queue'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkpointKey,
  checkpointPartition,
  checkpointRingKey,
  decodeCheckpoint,
  encodeCheckpoint,
} from './checkpoint.ts'

const checkpoint = {
  position: { number: 20, hash: '0xab' },
  unit: 21,
  previous: 20,
  nextSeq: { 'a.1_0_0.b_C': [5, 0] },
  final: { unit: 3, nextSeq: { 'a.1_0_0.b_C': [1, 0] } },
  time: { 'a.1_0_0.b_C': [1_780_000_000_000, 0] },
}

describe('checkpoints', () => {
  it('are decoded to what was encoded', () => {
    expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toEqual(checkpoint)
    const first = { ...checkpoint, position: null, unit: 1, previous: null, final: null }
    expect(decodeCheckpoint(encodeCheckpoint(first))).toEqual(first)
    const restarted = { ...checkpoint, position: null, fromStart: true as const, previous: null }
    expect(decodeCheckpoint(encodeCheckpoint(restarted))).toEqual(restarted)
  })

  it('may contain members of a later version', () => {
    const later = Buffer.from(JSON.stringify({ ...checkpoint, later: true }))
    expect(decodeCheckpoint(later)).toEqual(checkpoint)
  })

  it.each([
    ['not JSON', '{"unit":'],
    ['not an object', '[]'],
    ['without a position', JSON.stringify({ ...checkpoint, position: undefined })],
    ['with the unit 0', JSON.stringify({ ...checkpoint, unit: 0 })],
    ['with a fraction as a unit', JSON.stringify({ ...checkpoint, previous: 1.5 })],
    ['with seqs that are not a list', JSON.stringify({ ...checkpoint, nextSeq: { a: 1 } })],
    ['with a negative seq', JSON.stringify({ ...checkpoint, nextSeq: { a: [-1] } })],
    ['with an incomplete final unit', JSON.stringify({ ...checkpoint, final: { unit: 1 } })],
    ['without times', JSON.stringify({ ...checkpoint, time: undefined })],
  ])('are refused if they are %s', (_, text) => {
    expect(() => decodeCheckpoint(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'invalid_checkpoint' }))
  })

  it('are refused with a UserError, for any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (bytes) => {
          expect(() => decodeCheckpoint(bytes)).toThrow(UserError)
        },
      ),
    )
  })
})

describe('checkpoint keys', () => {
  it('name the writer, and in the ring the unit modulo 8,192', () => {
    expect(Buffer.from(checkpointKey('a.b.1_0_0/main')).toString()).toBe('a.b.1_0_0/main')
    expect(Buffer.from(checkpointRingKey('a.b.1_0_0/main', 8193)).toString()).toBe('a.b.1_0_0/main/1')
  })

  it('are in one of 32 partitions, chosen by the writer', () => {
    const partitions = Array.from({ length: 1000 }, (_, index) => checkpointPartition(`a.b.1_0_0/${index}`))
    expect(new Set(partitions).size).toBe(32)
    expect(checkpointPartition('a.b.1_0_0/7')).toBe(partitions[7])
  })
})
