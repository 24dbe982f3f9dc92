import { expect, test } from 'vitest'
import { createLineSplitter } from './child-process.ts'

function split(...parts: string[]): string[] {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => lines.push(line))
  for (const part of parts) splitter.add(part)
  splitter.end()
  return lines
}

test('lines do not depend on the chunks of the text, and empty lines are omitted', () => {
  expect(split('one\r\ntwo\n\nthree')).toEqual(['one', 'two', 'three'])
  expect(split('o', 'ne\r', '\ntw', 'o\n\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a line without an end is split, so that it does not accumulate', () => {
  expect(split('x'.repeat(40_000)).map(({ length }) => length)).toEqual([16_384, 16_384, 7_232])
})
