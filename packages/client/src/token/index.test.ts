import { expect, test } from 'vitest'
import * as token from './index.ts'

test('the subpath exports exactly its public names', () => {
  expect(Object.keys(token).sort()).toEqual(['createToken'])
})
