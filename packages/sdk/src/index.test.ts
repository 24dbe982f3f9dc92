import * as sdk from '@headrace/sdk'
import * as testing from '@headrace/sdk/testing'
import * as wire from '@headrace/sdk/wire'
import { expect, test } from 'vitest'

test('exports are those that connectors and programs build on', () => {
  expect(Object.keys(sdk).sort()).toEqual([
    'HeadraceError',
    'RetryableError',
    'SourceFailedError',
    'UserError',
    'defineConnector',
    'defineSchema',
    'runConnector',
    'sdkErrorCodes',
  ])
  expect(Object.keys(wire).sort()).toEqual(['BinaryReader', 'BinaryWriter'])
  expect(Object.keys(testing).sort()).toEqual(['createFaultyQueue', 'createTestProject'])
})
