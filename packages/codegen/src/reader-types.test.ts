import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fromJson, toBinary } from '@bufbuild/protobuf'
import { compileProtos, createRecordRenderer, type TopicRegistration, withCursor } from '@headrace/catalog'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateReaderTypes } from './reader-types.ts'

const proto = `syntax = "proto3";
package acme.shop;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/any.proto";
import "other.proto";
// What somebody has bought.
message Order {
  enum State { OPEN = 0; PAID = 1; }
  // A line:
  //
  //   count times article */
  message Line { string article = 1; uint32 count = 2; repeated Line parts = 3; }
  // When it was placed.
  google.protobuf.Timestamp ts = 1;
  State state = 2;
  repeated Line lines = 3;
  oneof payment { string card = 4; uint64 cash = 5; }
  map<string, double> weights = 6;
  bytes hash = 7;
  optional bool gift = 8;
  google.protobuf.Duration wait = 9;
  google.protobuf.Struct extra = 10;
  google.protobuf.Int64Value limit = 11;
  google.protobuf.Value any = 12;
  repeated float marks = 13;
  google.protobuf.ListValue list = 14;
  google.protobuf.NullValue nothing = 15;
  acme.other.Order origin = 16;
  int64 total = 17;
}
`
const other = 'syntax = "proto3";\npackage acme.other;\nmessage Order { string name = 1; }\n'

const full = {
  ts: '2026-01-01T00:00:00Z',
  state: 'PAID',
  lines: [{ article: 'pen', count: 2, parts: [{ article: 'cap', count: 1, parts: [] }] }],
  cash: '18446744073709551615',
  weights: { kg: 0.5, unknown: 'NaN' },
  hash: '3q0=',
  gift: true,
  wait: '1.5s',
  extra: { a: [1, null] },
  limit: '7',
  any: ['x'],
  marks: [1.5, 'Infinity'],
  list: [1, 'a'],
  nothing: null,
  origin: { name: 'web' },
  total: '-1',
}

let dir: string
let registration: TopicRegistration
let render: (json: object) => string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headrace-types-'))
  await writeFile(join(dir, 'shop.proto'), proto)
  await writeFile(join(dir, 'other.proto'), other)
  const { schema, problems } = await compileProtos([join(dir, 'shop.proto')], { root: dir })
  expect(problems).toEqual([])
  const { descriptors } = schema!
  registration = {
    ...{
      topic: 'acme.shop.1_0_0.shop_Order',
      lineage: 'acme.shop.1_0_0',
      instance: 'main',
      message: 'acme.shop.Order',
    },
    ...{ connector: { owner: 'acme', package: 'shop', version: '1.0.0' }, descriptors, bytes: 'base64', partitions: 1 },
  }
  const renderer = createRecordRenderer(registration)
  render = (json) => {
    const message = schema!.message('acme.shop.Order')!
    const value = toBinary(message, fromJson(message, json as never, { registry: schema!.registry }))
    const record = { topic: registration.topic, partition: 0, offset: 0n, time: 0, key: null, value, headers: [] }
    return Buffer.from(withCursor(renderer.render(record), 'x')).toString()
  }
})
afterAll(() => rm(dir, { recursive: true }))

/** The errors that the compiler finds in a module next to the types. */
async function compile(code: string): Promise<string> {
  await writeFile(join(dir, 'types.ts'), generateReaderTypes(registration))
  await writeFile(join(dir, 'reader.ts'), code)
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--exactOptionalPropertyTypes']
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const files = ['--allowImportingTsExtensions', '--types', '', join(dir, 'reader.ts')]
  const failed = await promisify(execFile)(process.execPath, [tsc, ...options, ...files], { cwd: dir }).catch(
    (error) => error,
  )
  return failed.stdout
}

test('rendered records have the generated types, with every field set and with none', async () => {
  const reader = [
    "import type { acme_shop_Order, acme_shop_OrderRecord } from './types.ts'",
    `export const full: acme_shop_OrderRecord = ${render(full)}`,
    `export const empty: acme_shop_OrderRecord = ${render({})}`,
    `export const always: Required<Pick<acme_shop_Order, 'state' | 'lines' | 'weights' | 'hash' | 'total'>> = empty.value!`,
  ]
  expect(await compile(reader.join('\n'))).toBe('')
})

test('values that are never rendered do not compile', async () => {
  const reader = [
    "import type { acme_shop_Order } from './types.ts'",
    'declare const order: acme_shop_Order',
    'export const total: number = order.total',
    'export const gift: boolean = order.gift',
    'export const state: "CLOSED" = order.state',
    'export const ts: Date | undefined = order.ts',
  ]
  const errors = await compile(reader.join('\n'))
  for (const line of [3, 4, 5, 6]) expect(errors).toContain(`reader.ts(${line},`)
})

test('the generated types are readable, and have the comments of the .proto file', () => {
  const types = generateReaderTypes({ ...registration, message: 'acme.shop.Order.Line' })
  expect(types).toContain('export interface Order_LineRecord {')
  expect(types).toContain(`/**
 * A line:
 *
 *   count times article *\\/
 */
export interface Order_Line {
  article: string
  count: number
  parts: Order_Line[]
}
`)
  const order = generateReaderTypes(registration)
  expect(order).toContain('/** What somebody has bought. */\nexport interface acme_shop_Order {')
  expect(order).toContain('  /** When it was placed. */\n  ts?: string\n')
})
