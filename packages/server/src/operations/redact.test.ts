import { expect, test } from 'vitest'
import { generateKey } from '../access/keys/key-format.ts'
import { redactUrl } from './redact.ts'

const key = generateKey('development')

test.each([
  `/api/v1/topics?api_key=${key}`,
  `/api/v1/topics?api_key=${key}&limit=3`,
  `/api/v1/topics?a=1&api%5Fkey=${key}`,
  `/api/v1/topics?API_KEY=${key}`,
  `/api/v1/topics?apikey=${key}`,
  `/api/v1/data/${key}`,
  `/api/v1/topics?api_key=${key.split('').join('%00')}`,
])('no key is left in %#', (url) => {
  expect(redactUrl(url)).not.toContain(key.slice(8))
  expect(redactUrl(url)).not.toContain(key.slice(8).split('').join('\0'))
})

test('everything else stays', () => {
  expect(redactUrl('/api/v1/data/a.b?limit=3&order=asc')).toBe('/api/v1/data/a.b?limit=3&order=asc')
  expect(redactUrl('/health/live')).toBe('/health/live')
})
