import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import type { Source, Unit } from './connector/connector.ts'
import { sdkErrorCodes } from './errors.ts'
import type { QueueSourceOptions } from './source/queue/queue-source.ts'
import { plannedFaults } from './testing/planned-faults.ts'

const page = readReferencePage('sdk.md')

/** The first column of a table. */
const names = (heading: string, column: string): string[] => page.rows(heading, column).map(([name]) => name!)

/** Every name that a module exports, types too. */
function exportsOf(module: string): string[] {
  const source = readFileSync(join(import.meta.dirname, module), 'utf8')
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, list]) => list!.split(','))
    .map((name) => name.replace(/\btype /, '').trim())
    .filter((name) => name !== '')
}

/** All keys of a type, checked by the compiler. */
const keysOf =
  <T>() =>
  <const K extends keyof T>(...keys: K[]): keyof T extends K ? K[] : never =>
    keys as never

test('docs/reference/sdk.md lists every export, and no other', () => {
  expect(names('SDK', 'name').sort()).toEqual(exportsOf('index.ts').sort())
  expect(names('Testing', 'name').sort()).toEqual(exportsOf('testing/index.ts').sort())
})

test('docs/reference/sdk.md lists every member of the types that authors use', () => {
  const source = keysOf<Source>()(
    'config',
    'history',
    'signal',
    'log',
    'queue',
    'onCommit',
    'descriptor',
    'watchEndpoints',
    'progress',
  )
  const unit = keysOf<Unit>()('checkpoint', 'messages', 'revertTo', 'final', 'time', 'traceparent')
  const options = keysOf<QueueSourceOptions<object>>()('topics', 'from', 'follow')
  expectTypeOf(source).not.toBeNever()
  expectTypeOf(unit).not.toBeNever()
  expectTypeOf(options).not.toBeNever()
  expect(names('Source', 'member')).toEqual(source)
  expect(names('Unit', 'member')).toEqual(unit)
  expect(names('Topics as input', 'option')).toEqual(options)
})

test('docs/reference/sdk.md names existing error codes and every planned fault', () => {
  expect(sdkErrorCodes).toEqual(expect.arrayContaining(names('Topics as input', 'code')))
  const kinds = new Set([...plannedFaults(() => 1, 1, 1)].map(({ kind }) => kind))
  expect(names('Testing', 'fault')).toEqual([...kinds])
})
