import { expect, test } from 'vitest'
import * as client from './index.ts'

test('the package exports exactly its public names', () => {
  expect(Object.keys(client).sort()).toEqual([
    'ClientError',
    'InvalidOptionError',
    'PositionUnavailableError',
    'RecordsMissingError',
    'RefusedError',
    'UnavailableError',
    'clientErrorCodes',
    'createClient',
  ])
})
