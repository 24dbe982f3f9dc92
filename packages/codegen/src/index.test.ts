import { expect, test } from 'vitest'
import * as codegen from './index.ts'

test('the exports are unchanged', () => {
  expect(Object.keys(codegen).sort()).toMatchInlineSnapshot(`
    [
      "applyChanges",
      "codegenErrorCodes",
      "compareFolder",
      "generateCode",
      "generateReaderTypes",
    ]
  `)
})
