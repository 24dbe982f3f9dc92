import { expect, test } from 'vitest'
import { RefusedError, UnavailableError } from '../errors.ts'
import { closeError, streamError } from './close-error.ts'

test.each([1002, 1003, 1007, 1009, 4400, 4401, 4403, 4409])('after close code %i nobody comes back', (code) => {
  expect(closeError({ code, reason: '' })).toBeInstanceOf(RefusedError)
})

test.each([1000, 1001, 1005, 1006, 1011, 1012, 1013, 4399, 4410, 4411, 4412, 4413, 4429])(
  'after close code %i a client comes back',
  (code) => {
    expect(closeError({ code, reason: 'Connect again.' })).toBeInstanceOf(UnavailableError)
  },
)

test('the end of a key is told alike over both protocols', () => {
  const detail = 'The API key has been revoked or has expired.'
  for (const error of [closeError({ code: 4401, reason: detail }), streamError({ code: 'key_revoked', detail })]) {
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toMatchObject({ code: 'key_revoked', message: detail })
  }
  expect(streamError({ code: 'permission_lost', detail })).toBeInstanceOf(RefusedError)
})

test.each(['slow_consumer', 'position_unavailable', 'overloaded', 'unheard_of'])(
  'after the stream error %s a client comes back',
  (code) => {
    expect(streamError({ code, detail: '' })).toBeInstanceOf(UnavailableError)
  },
)
