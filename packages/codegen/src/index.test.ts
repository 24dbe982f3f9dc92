import { expect, test } from 'vitest'
import * as codegen from './index.ts'

test('exports the generators and what keeps their folder up to date', () => {
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
