import { expect, test } from 'vitest'
import * as createConnector from './index.ts'

test('the package exports the command, its error codes and its shutdown signal', () => {
  expect(Object.keys(createConnector).sort()).toMatchInlineSnapshot(`
    [
      "addScaffoldArguments",
      "createConnectorErrorCodes",
      "createConnectorExitCodes",
      "listenForShutdown",
    ]
  `)
})
