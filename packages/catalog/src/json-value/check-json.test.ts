import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkJson } from './check-json.ts'

const isAccepted = (bytes: Uint8Array) => {
  try {
    checkJson(bytes, 0)
    return true
  } catch {
    return false
  }
}
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
/** Every string, also one that is a name. */
const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every((entry) => entry.every(isWellFormed))
}

test('exactly the texts that JSON.parse accepts are JSON, but none with a lone surrogate', () => {
  const counts = { accepted: 0, refused: 0 }
  const damage = fc.record({ at: fc.nat(), text: fc.constantFrom(...'{}[]",:\\u0dD8tfn-+.eE1 \n\t\u0001é', '') })
  const property = fc.property(fc.json({ maxDepth: 4 }), fc.array(damage, { maxLength: 2 }), (json, damages) => {
    let text = json
    for (const { at, text: other } of damages) {
      const place = at % (text.length + 1)
      text = text.slice(0, place) + other + text.slice(place + 1)
    }
    if (!text.isWellFormed()) return
    const expected = isJson(text) && isWellFormed(JSON.parse(text))
    counts[expected ? 'accepted' : 'refused']++
    expect(isAccepted(Buffer.from(text)), text).toBe(expected)
  })
  fc.assert(property, { numRuns: 5000 })
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(1000)
})

test.each([
  ['NaN', /found "N" at byte 0, where a value/],
  ['', /found its end at byte 0/],
  ['\ufeff{}', /found the byte 239 at byte 0/],
  ['{"a":1,}', /found "}" at byte 7, where the name of a member/],
  ['[1 2]', /found "2" at byte 3, where "," or "]"/],
  ['{} {}', /found "{" at byte 3, where the end/],
  ['01', /found "1" at byte 1, where the end/],
  ['"\\ud800"', /lone surrogate at byte 1/],
  ['"\\ud800\\u0041"', /lone surrogate/],
  ['"\\uZZZZ"', /hexadecimal digit/],
  ['['.repeat(101) + ']'.repeat(101), /nested more than 100 deep/],
])('%s is refused with what was found', (text, reason) => {
  expect(() => checkJson(Buffer.from(text), 0)).toThrow(reason)
})

test('bytes that are not UTF-8 are refused, and line breaks are reported', () => {
  expect(() => checkJson(Buffer.from('"\xff"', 'latin1'), 0)).toThrow(/not UTF-8/)
  expect(checkJson(Buffer.from('{\n"a":\r1}'), 0)).toBe(true)
  expect(checkJson(Buffer.from('{"a":"\\n"}'), 0)).toBe(false)
  expect(checkJson(Buffer.from(`${'['.repeat(100)}${']'.repeat(100)}`), 0)).toBe(false)
})
