import { expect, test } from 'vitest'
import * as createConnector from './index.ts'

test('exports the command and what its errors mean', () => {
  expect(Object.keys(createConnector).sort()).toMatchInlineSnapshot(`
    [
      "addScaffoldArguments",
      "createConnectorErrorCodes",
      "createConnectorExitCodes",
    ]
  `)
})
