import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventParser } from './event-reader.ts'

const read = (...pieces: string[]) => {
  const parse = createEventParser()
  return pieces.flatMap((piece) => parse(piece))
}

test('events are read by the rules of the HTML standard', () => {
  expect(read('data: a\n\n')).toEqual([{ event: 'message', data: 'a' }])
  expect(read('data:a\ndata:  b\n\n')).toEqual([{ event: 'message', data: 'a\n b' }])
  expect(read('event: gap\nid: 7\ndata: {"a":":"}\n\n')).toEqual([{ event: 'gap', data: '{"a":":"}' }])
  expect(read(':\n:comment\n\ndata\n\n')).toEqual([{ event: 'message', data: '' }])
  expect(read('event: a\n\ndata: b\n\n')).toEqual([{ event: 'message', data: 'b' }])
  expect(read('data: not whole\n')).toEqual([])
})

test('however a stream is cut into pieces, its events are the same', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const line = fc.constantFrom('data: a', 'data:b', 'event: gap', 'id: 1', ':', '', '')
  const lines = fc.array(fc.tuple(line, lineEnd).map((parts) => parts.join('')))
  const stream = lines.map((all) => `${all.join('')}\n\n.`)
  fc.assert(
    fc.property(stream, fc.array(fc.nat(100)), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % text.length), text.length].toSorted((a, b) => a - b)
      const pieces = places.slice(1).map((place, n) => text.slice(places[n], place))
      expect(read(...pieces)).toEqual(read(text))
    }),
  )
})
