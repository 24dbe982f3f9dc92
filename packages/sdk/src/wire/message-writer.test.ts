import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageWriter, type WireWriter } from './message-writer.ts'

type Step = (writer: WireWriter) => void

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff })
const int32 = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 200 }))

const value: fc.Arbitrary<Step> = fc.oneof(
  uint32.map(
    (v): Step =>
      (w) =>
        w.uint32(v),
  ),
  uint32.map(
    (v): Step =>
      (w) =>
        w.fixed32(v),
  ),
  int32.map(
    (v): Step =>
      (w) =>
        w.int32(v),
  ),
  int32.map(
    (v): Step =>
      (w) =>
        w.sint32(v),
  ),
  int32.map(
    (v): Step =>
      (w) =>
        w.sfixed32(v),
  ),
  uint64.map(
    (v): Step =>
      (w) =>
        w.uint64(v),
  ),
  uint64.map(
    (v): Step =>
      (w) =>
        w.fixed64(v),
  ),
  int64.map(
    (v): Step =>
      (w) =>
        w.int64(v),
  ),
  int64.map(
    (v): Step =>
      (w) =>
        w.sint64(v),
  ),
  int64.map(
    (v): Step =>
      (w) =>
        w.sfixed64(v),
  ),
  fc.maxSafeInteger().map(
    (v): Step =>
      (w) =>
        w.int64(v),
  ),
  fc.boolean().map(
    (v): Step =>
      (w) =>
        w.bool(v),
  ),
  fc.float().map(
    (v): Step =>
      (w) =>
        w.float(v),
  ),
  fc.double().map(
    (v): Step =>
      (w) =>
        w.double(v),
  ),
  text.map(
    (v): Step =>
      (w) =>
        w.string(v),
  ),
  fc.uint8Array({ maxLength: 300 }).map(
    (v): Step =>
      (w) =>
        w.bytes(v),
  ),
  fc.uint8Array({ maxLength: 20 }).map(
    (v): Step =>
      (w) =>
        w.raw(v),
  ),
)
const nested: fc.Arbitrary<Step> = fc.array(value, { maxLength: 6 }).map(
  (steps): Step =>
    (writer) => {
      writer.tag(1, 2).fork()
      for (const step of steps) step(writer)
      writer.uint32(18).fork()
      for (const step of steps) step(writer)
      writer.join().join()
    },
)
const message = fc.array(fc.oneof(value, nested), { maxLength: 8 })

test('the bytes equal those of BinaryWriter for any calls and any size of the buffer', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.integer({ min: 1, max: 2000 }), (messages, initialBytes) => {
      const reference = new BinaryWriter()
      const writer = new MessageWriter(initialBytes)
      const views = messages.map((steps) => {
        for (const step of steps) step(writer)
        return writer.take()
      })
      const expected = messages.map((steps) => {
        for (const step of steps) step(reference)
        return reference.finish()
      })
      expect(views.map((view) => Buffer.from(view).toString('hex'))).toEqual(
        expected.map((bytes) => Buffer.from(bytes).toString('hex')),
      )
    }),
  )
})

test('a discarded message leaves no bytes', () => {
  const writer = new MessageWriter()
  writer.uint32(8).fork().string('half')
  writer.discard()
  expect(() => writer.join()).toThrow('join without fork')
  writer.uint32(8).int32(7)
  expect([...writer.take()]).toEqual([8, 7])
})

test('a length prefix can grow at the end of the buffer', () => {
  const body = new Uint8Array(200).fill(7)
  const expected = new BinaryWriter().fork().raw(body).join().finish()
  for (let initialBytes = 1; initialBytes <= 210; initialBytes++) {
    const writer = new MessageWriter(initialBytes)
    writer.fork().raw(body).join()
    expect(Buffer.from(writer.take())).toEqual(Buffer.from(expected))
  }
})

test('a reset writer reuses its buffer', () => {
  const writer = new MessageWriter(16)
  writer.string('first')
  const first = writer.take()
  writer.reset()
  writer.string('other')
  const second = writer.take()
  expect(second.buffer).toBe(first.buffer)
  expect(new BinaryReader(second).string()).toBe('other')
})

test.each<[string, Step]>([
  ['uint32', (w) => w.uint32(-1)],
  ['uint32', (w) => w.uint32(1.5)],
  ['int32', (w) => w.int32(2 ** 31)],
  ['sint32', (w) => w.sint32(Number.NaN)],
  ['fixed32', (w) => w.fixed32(2 ** 32)],
  ['sfixed32', (w) => w.sfixed32(-(2 ** 31) - 1)],
  ['float', (w) => w.float(1e39)],
  ['fixed32', (w) => w.fixed32('many' as unknown as number)],
  ['uint64', (w) => w.uint64(2n ** 64n)],
  ['uint64', (w) => w.uint64(-1n)],
  ['int64', (w) => w.int64(2n ** 63n)],
  ['sint64', (w) => w.sint64(-(2n ** 63n) - 1n)],
])('a %s field rejects a value outside its range', (type, step) => {
  expect(() => step(new MessageWriter())).toThrow(`a ${type} field holds`)
})

test.each<[string, Step]>([
  ['a string field holds a value of type undefined', (w) => w.string(undefined as unknown as string)],
  ['a bytes field holds a value of type string', (w) => w.bytes('abc' as unknown as Uint8Array)],
  ['a bytes field holds a value of type object', (w) => w.bytes([1, 2] as unknown as Uint8Array)],
  ['a bytes field holds a value of type object', (w) => w.bytes(Uint16Array.of(1) as unknown as Uint8Array)],
])('an error is thrown: %s', (message, step) => {
  expect(() => step(new MessageWriter())).toThrow(message)
})

test('a 32-bit number can be a string, like the keys of a map', () => {
  const writer = new MessageWriter()
  writer.int32('-1' as unknown as number).uint32('300' as unknown as number)
  const reader = new BinaryReader(writer.take())
  expect([reader.int32(), reader.uint32()]).toEqual([-1, 300])
})

test('a number that rounds to the largest float is written as that float', () => {
  const writer = new MessageWriter()
  writer.float(3.4028235e38)
  expect(new BinaryReader(writer.take()).float()).toBe(Math.fround(3.4028235e38))
})
