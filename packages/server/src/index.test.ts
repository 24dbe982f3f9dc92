import { expect, test } from 'vitest'
import * as server from './index.ts'

test('the package exports exactly its public names', () => {
  expect(Object.keys(server).sort()).toEqual([
    'checkNewKey',
    'createGateway',
    'createKey',
    'createLeasedLimits',
    'createSharedLimits',
    'findKey',
    'keylessId',
    'listKeys',
    'readUsage',
    'revokeKey',
    'rotateKey',
    'serveGatewayMetrics',
    'serverErrorCodes',
    'sumUsage',
    'updateKey',
  ])
})
