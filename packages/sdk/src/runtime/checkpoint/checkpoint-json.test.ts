import { expect, test } from 'vitest'
import { checkpointJson } from './checkpoint-json.ts'

test('plain JSON is serialized without members that are undefined', () => {
  const checkpoint = { number: 7, hash: '0x07', parts: [1, null, { done: true }], note: undefined }
  expect(checkpointJson(checkpoint, 'checkpoint')).toBe('{"number":7,"hash":"0x07","parts":[1,null,{"done":true}]}')
})

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

test.each([
  ['a bigint', { number: 1n }, 'checkpoint.number is a bigint'],
  ['not a number', { at: [1, Number.NaN] }, 'checkpoint.at.1 is NaN'],
  ['a date', { at: new Date(0) }, 'checkpoint.at is of class Date'],
  ['a map', new Map(), 'checkpoint is of class Map'],
  ['a function', () => 1, 'checkpoint is a function'],
  ['undefined in a list', [undefined], 'checkpoint.0 is undefined'],
  ['a cycle', cyclic, 'nested too deeply, or holds itself'],
  ['a text of 64 KiB', 'x'.repeat(64 * 1024), 'checkpoint has 65538 bytes as JSON'],
])('%s is rejected with its place', (_, checkpoint, message) => {
  expect(() => checkpointJson(checkpoint, 'checkpoint')).toThrow(
    expect.objectContaining({ code: 'invalid_unit', message: expect.stringContaining(message) }),
  )
})
