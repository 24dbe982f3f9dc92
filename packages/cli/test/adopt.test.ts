import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from './whole-path/connector-process.ts'

let folder: string
let queue: string[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-adopt-'))
  queue = ['--queue', `embedded:${join(folder, 'queue')}`]
  await using opened = Object.assign(await openQueue(queue[1]!), {
    [Symbol.asyncDispose]: () => opened.close(),
  })
  await opened.createTopics([
    { name: 'orders' },
    { name: 'events' },
    { name: '_headrace.registry', cleanup: 'compact' },
  ])
  const headers = [
    { key: 'at', value: Buffer.of(1, 7) },
    { key: 'error', value: Buffer.from('not ours') },
  ]
  const common = { key: Buffer.from('a'), time: Date.now(), headers }
  await opened.append([
    { ...common, topic: 'orders', value: Buffer.from('{"id":1,"tag":"x"}') },
    { ...common, topic: 'events', value: Buffer.from('0a0178', 'hex') },
  ])
})
afterAll(() => rm(folder, { recursive: true }))

const adopt = (...args: string[]) => connector('adopt', ...args, ...queue)
const schemaFile = async (name: string, text: string) => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

test('an adopted topic is listed, described, read and filtered, and its types are printed', async () => {
  const description = 'An order */ of a shop'
  const schema = {
    type: 'object',
    description,
    properties: { id: { type: 'integer' }, 'odd name': { enum: ['a', 1] } },
    required: ['id'],
  }
  const file = await schemaFile('orders.json', JSON.stringify(schema))
  expect(await adopt('orders', '--format', 'json', '--schema', file)).toMatchObject({
    code: 0,
    stdout: '"orders" is served as json, with 1 partition. 1 of the 1 newest record can be decoded.\n',
  })
  const listed = JSON.parse((await connector('topics', 'list', '--json', ...queue)).stdout)
  expect(listed).toMatchObject({ topic: 'orders', format: 'json', connector: null, records: null })
  const described = await connector('topics', 'describe', 'orders', ...queue)
  expect(described.stdout).toMatch(/connector +none \(adopted\)\n.*"odd name"/s)
  const read = await connector('read', 'orders', '--json', '--filter', 'value.tag == "x" && key == "a"', ...queue)
  expect(JSON.parse(read.stdout)).toMatchObject({ seq: null, unit: null, value: { id: 1, tag: 'x' } })
  expect((await connector('types', 'orders', ...queue)).stdout).toContain(
    '/** An order *\\/ of a shop */\nexport type Value = {\n  id: number\n  "odd name"?: "a" | 1\n}\n',
  )
})

test('a protobuf schema that would break readers is refused, and so is another format, until the adoption is removed', async () => {
  const proto = (field: string) =>
    schemaFile('event.proto', `syntax = "proto3"; message Event { ${field} } message Other {}`)
  const again = async (field: string, ...args: string[]) =>
    adopt('events', '--format', 'protobuf', '--schema', await proto(field), ...args)
  expect(await again('string name = 1;')).toMatchObject({ code: 1, stderr: expect.stringContaining('Event, Other') })
  expect(await again('string name = 1;', '--message', 'Event')).toMatchObject({ code: 0 })
  expect(await again('string name = 1; int32 size = 2;', '--message', 'Event')).toMatchObject({ code: 0 })
  const broken = await again('int32 name = 1;', '--message', 'Event')
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('(incompatible_schema)') })
  expect(broken.stderr).not.toContain('version')
  expect((await adopt('events', '--format', 'json')).stderr).toContain('would become json')
  expect(JSON.parse((await connector('read', 'events', '--json', ...queue)).stdout).value).toEqual({
    name: 'x',
    size: 0,
  })
  expect(await adopt('events', '--remove')).toMatchObject({ code: 0 })
  expect((await connector('read', 'events', ...queue)).stderr).toContain('(unknown_topic)')
  expect((await adopt('events', '--remove')).stderr).toContain('nothing was removed')
  expect(await adopt('events', '--format', 'json')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 of the 1 newest record cannot be decoded'),
  })
})

test.each([
  [['order', '--format', 'json'], 1, 'Did you mean "orders"?'],
  [['orders'], 2, '--format is missing'],
  [['_headrace.registry', '--format', 'json'], 1, 'a topic of the queue itself'],
  [['orders', '--format', 'avro'], 1, 'whose schema must be known'],
  [['orders', '--format', 'avro', '--schema', '/missing.avsc'], 1, 'cannot be read'],
])('connector adopt %s is refused', async (args, code, reason) => {
  expect(await adopt(...args)).toMatchObject({ code, stderr: expect.stringContaining(reason) })
})
