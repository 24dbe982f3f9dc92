import { expect, test } from 'vitest'
import * as sdk from './index.ts'
import * as testing from './testing/index.ts'
import * as wire from './wire/index.ts'

test('the exports are unchanged', () => {
  expect(Object.keys(sdk).sort()).toEqual([
    'HeadraceError',
    'RetryableError',
    'SourceFailedError',
    'UserError',
    'createEndpoints',
    'defineConnector',
    'defineSchema',
    'errorReason',
    'fetchInOrder',
    'loadProject',
    'openQueue',
    'parseRetryAfter',
    'processConnector',
    'queueSource',
    'readCheckpoints',
    'resetCheckpoint',
    'resolveSettings',
    'runConnector',
    'sdkErrorCodes',
    'traceFetch',
    'traceStep',
    'validateManifest',
    'verifyConnector',
    'verifyFindingCodes',
  ])
  expect(Object.keys(wire).sort()).toEqual(['BinaryReader', 'BinaryWriter'])
  expect(Object.keys(testing).sort()).toEqual([
    'assertPublished',
    'canonicalUnits',
    'createFaultyQueue',
    'createScriptedConnector',
    'createTestProject',
    'readUnits',
    'replayRecords',
    'testConnector',
  ])
})
