import { expect, test } from 'vitest'
import { checkOrigin } from './origin.ts'

test.each(['https://example.org', 'https://app.example.org:8443', 'https://xn--bcher-kva.example'])(
  '%s can be registered for every key',
  (origin) => {
    expect(checkOrigin(origin, 'production')).toBeUndefined()
    expect(checkOrigin(origin, 'development')).toBeUndefined()
  },
)

test('http://localhost is allowed for development keys only', () => {
  expect(checkOrigin('http://localhost:3000', 'development')).toBeUndefined()
  expect(checkOrigin('http://localhost:3000', 'production')).toContain('development keys only')
})

test.each([
  'example.org',
  'http://example.org',
  'http://127.0.0.1:8099',
  'https://Example.org',
  'https://example.org:443',
  '*',
  'null',
])('%s is refused', (origin) => {
  expect(checkOrigin(origin, 'development')).toContain('cannot be registered as an origin')
})

test('a URL with a path is refused, and the message suggests its origin', () => {
  expect(checkOrigin('https://example.org/', 'production')).toContain('Did you mean "https://example.org"?')
})
