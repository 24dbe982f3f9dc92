import { expect, test } from 'vitest'
import * as mcp from './index.ts'

test('the subpath exports exactly its public names', () => {
  expect(Object.keys(mcp).sort()).toEqual([
    'ToolError',
    'count',
    'createFetchRequest',
    'defineTool',
    'gatewayTools',
    'resultItems',
    'serveMcpOverStdio',
  ])
})
