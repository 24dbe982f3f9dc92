import { expect, test } from 'vitest'
import { deriveTokenKey, keyIdOf } from './token-key.ts'

/** Computed with the Python library `cryptography`. It never changes: deployed backends derive the same. */
test('the public key and the id of an API key are derived from it', () => {
  const { publicKey } = deriveTokenKey(`hr_test_${'0123456789'.repeat(3)}abcDEF`)
  expect(publicKey).toBe('eX9ftl6uzGg9iWcs6QwjcxfkVP2Yu4Vo05AoCQaD6dU')
  expect(keyIdOf(publicKey)).toBe('deded65f4d0dbe89')
})
