import { expect, test } from 'vitest'
import { generateKey } from './key-format.ts'
import { redactText, redactUrl } from './redact.ts'

const key = generateKey('development')

function encodeEach(text: string): string {
  return Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('')
}

test.each([
  `/api/v1/topics?api_key=${key}`,
  `/api/v1/topics?api_key=${key}&limit=3`,
  `/api/v1/topics?a=1&api%5Fkey=${key}`,
  `/api/v1/topics?API_KEY=${key}`,
  `/api/v1/topics?apikey=${key}`,
  `/api/v1/data/${key}`,
  `/api/v1/topics?api_key=${key.split('').join('%00')}`,
  `/api/v1/topics?x=${key.split('').join('%00')}`,
  `/api/v1/data/${encodeEach(key)}?x=${encodeEach(key)}`,
  `/api/v1/data/${encodeEach(encodeEach(key))}?x=${encodeEach(encodeEach(key))}`,
  `/api/v1/topics?x=${key.replaceAll('_', '%5F')}`,
  `/api/v1/topics?x=${key.replaceAll('_', '-')}&x=${key.replaceAll('_', '')}`,
  `/api/v1/topics?x=${key.toUpperCase().slice(0, 8)}${key.slice(8)}`,
  `/api/v1/topics?x=a+${key}+b`,
  `/api/v1/data/${key.slice(8)}`,
  `/api/v1/topics?x=${key.slice(8)}&y=${key.slice(3)}`,
  `/api/v1/topics?${key.slice(8)}=x`,
  `/api/v1/data/Bearer${key.slice(8)}?x=${key.slice(8)}000`,
  `/api/v1/data/${encodeEach(key.slice(8))}`,
  `/api/v1/data/${generateKey('production').slice(8)}?x=${key.slice(8)}`,
])('no key is left in %#', (url) => {
  expect(redactUrl(url)).not.toContain(key.slice(8))
  expect(redactUrl(url)).not.toContain(key.slice(8).split('').join('\0'))
})

test('keys are removed from a text, and a text without keys does not change', () => {
  expect(redactText(`"${key}" and "${key.slice(8)}"`)).toBe('"hr_test_…" and "…"')
  expect(redactText(encodeEach(key))).toBe('hr_test_…')
  for (const text of ['100%25 \u0000', 'a'.repeat(36), `${key.slice(8, -1)}-`, 'hr_', ''])
    expect(redactText(text)).toBe(text)
})

test.each([
  (token: string) => `/api/v1/topics?api_key=${token}`,
  (token: string) => `/api/v1/data/${token}`,
  (token: string) => `/api/v1/data/${token.replaceAll('.', '%2E')}`,
  (token: string) => `/api/v1/data/x${encodeEach(encodeEach(token))}?x=${token}`,
])('no token is left in %#', (urlOf) => {
  const token = `eyJ${'a'.repeat(60)}.eyJ${'b_'.repeat(60)}.${'c-'.repeat(43)}`
  expect(redactUrl(urlOf(token))).not.toMatch(/a{9}|(b_){9}|(c-){9}/)
  expect(redactText(`The token "${token}" is refused.`)).toBe('The token "ey…" is refused.')
})

test('other parts of a URL do not change', () => {
  expect(redactUrl('/api/v1/data/a.b?limit=3&order=asc')).toBe('/api/v1/data/a.b?limit=3&order=asc')
  expect(redactUrl('/health/live')).toBe('/health/live')
  expect(redactUrl('/api/v1/data/a.b?from=2026-08-21T10:00:00%2B02:00')).toBe(
    '/api/v1/data/a.b?from=2026-08-21T10:00:00+02:00',
  )
})
