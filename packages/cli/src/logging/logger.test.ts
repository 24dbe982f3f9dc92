import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogging } from './logger.ts'

test('a logged error has the cause of each address that was tried', () => {
  const stream = new PassThrough() as unknown as typeof process.stderr
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`)
  const cause = new AggregateError([refused('::1:8080'), refused('127.0.0.1:8080')])
  createLogging(stream, { plain: true }).log.error({ err: new TypeError('fetch failed', { cause }) }, 'read failed')
  expect(`${stream.read()}`).toContain(
    'error="fetch failed: connect ECONNREFUSED ::1:8080, connect ECONNREFUSED 127.0.0.1:8080"',
  )
})
