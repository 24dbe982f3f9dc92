import { expect, test } from 'vitest'
import { generateKey, hashKey, keyEnvironment } from './key-format.ts'

test('a key shows its environment', () => {
  expect(generateKey('production')).toMatch(/^hr_live_[0-9A-Za-z]{36}$/)
  expect(keyEnvironment(generateKey('production'))).toBe('production')
  expect(generateKey('development')).toMatch(/^hr_test_[0-9A-Za-z]{36}$/)
  expect(keyEnvironment(generateKey('development'))).toBe('development')
})

test('a key with one changed character is not well-formed', () => {
  const key = generateKey('development')
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a'
    expect(keyEnvironment(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined()
  }
})

test('keys do not repeat, and their hashes are 64 hex digits', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => generateKey('development')))
  expect(keys.size).toBe(1000)
  for (const key of keys) expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/)
})
