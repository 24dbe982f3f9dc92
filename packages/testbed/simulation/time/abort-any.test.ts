import { expect, test } from 'vitest'
import { createAbortAny } from './abort-any.ts'

const abortAny = createAbortAny()

test('a combined signal is aborted with the first of its sources, and with its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const first = abortAny([one.signal, other.signal])
  const nested = abortAny([first, new AbortController().signal])
  const reasons: unknown[] = []
  nested.addEventListener('abort', () => reasons.push(nested.reason))
  other.abort('other')
  one.abort('one')
  expect([first.reason, nested.reason, reasons]).toEqual(['other', 'other', ['other']])
})

test('a combined signal is aborted immediately if a source is aborted, and never without sources', () => {
  expect(abortAny([new AbortController().signal, AbortSignal.abort('before')]).reason).toBe('before')
  expect(abortAny([]).aborted).toBe(false)
})
