import { expect, test } from 'vitest'
import * as server from './index.ts'

test('the package exports nothing by accident', () => {
  expect(Object.keys(server).sort()).toEqual([
    'checkKeyExists',
    'checkNewKey',
    'createGateway',
    'createKey',
    'listKeys',
    'readUsage',
    'revokeKey',
    'rotateKey',
    'serveGatewayMetrics',
    'serverErrorCodes',
    'sumUsage',
  ])
})
