import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connector, defineConnector, defineSchema, type ResetTarget, resetCheckpoint } from '@headrace/sdk'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector, type Head, unitOf } from './chain/connector.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'
import { type Block, type Config, schema, type Transaction } from './chain/schema.ts'
import { verifyProject } from './verify-project.ts'

let copy: ChainCopy
let first: TestProject
beforeEach(async () => {
  copy = await copyChain()
})
afterEach(async () => {
  await first.close()
  await copy.remove()
})

/** The same messages with one more field of a block. */
const widerSchema = defineSchema<{ Block: Block; Transaction: Transaction }, Config>({
  ...schema.messages,
  Block: {
    name: 'acme.chain.Block',
    encode: (block, writer) => schema.messages.Block.encode(block, writer).uint32(34).string('new'),
  },
})

/** Publishes what `chainConnector` does, and compares every unit with it. */
function comparing(own: typeof schema): Connector<typeof schema, Head> {
  return defineConnector({
    ...chainConnector(),
    schema: own,
    async *verify({ units }) {
      for await (const unit of units) yield* unit.differences(unitOf(unit.unit - 1).messages)
    },
  })
}

async function addField(): Promise<void> {
  const folder = join(copy.dir, 'proto')
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.proto'))
  const text = await readFile(join(folder, file!), 'utf8')
  await writeFile(join(folder, file!), text.replace('uint64 Number = 3;', 'uint64 Number = 3;\n  string Extra = 4;'))
}

/** Runs up to block 5, changes something, and runs again. Returns the findings of verify. */
async function publishThrough(change: () => Promise<void>, after: typeof schema) {
  first = await createTestProject(copy.dir, { settings: { end: 5 } })
  await first.run(comparing(schema))
  await change()
  await using next = await createTestProject(copy.dir, { queue: first.queue, settings: { end: 9 } })
  await next.run(comparing(after))
  const { findings, summary } = await verifyProject(next, comparing(after))
  return { findings, summary, next }
}

test('nothing is found after a key was added to a topic without one', async () => {
  await copy.rewrite((manifest) => manifest.replace('    key: Hash\n', ''))
  const { findings, summary } = await publishThrough(() => copy.rewrite((manifest) => manifest), schema)
  expect(findings).toEqual([])
  expect(summary).toMatchObject({ units: 10, compared: 10 })
})

test('nothing is found after a field was added', async () => {
  const { findings, summary } = await publishThrough(addField, widerSchema)
  expect(findings).toEqual([])
  expect(summary).toMatchObject({ units: 10, compared: 10 })
})

test('nothing is found after a topic was added', async () => {
  const [both, one] = await Promise.all([readFile(join(copy.dir, 'manifest.yaml'), 'utf8'), withoutTransactions()])
  await copy.rewrite(() => one)
  const { Block } = schema.messages
  const only = { ...schema, messages: { Block } } as unknown as typeof schema
  first = await createTestProject(copy.dir, { settings: { end: 5 } })
  const blocks = chainConnector(({ messages, ...unit }) => ({ ...unit, messages: { Block: messages!.Block! } }))
  await first.run({ ...blocks, schema: only })
  await copy.rewrite(() => both)
  await using next = await createTestProject(copy.dir, { queue: first.queue, settings: { end: 9 } })
  await next.run(comparing(schema))
  expect((await verifyProject(next, comparing(schema))).findings).toEqual([])
})

async function withoutTransactions(): Promise<string> {
  const manifest = await readFile(join(copy.dir, 'manifest.yaml'), 'utf8')
  return manifest.replace(/ {2}- message: Transaction\n(?: {4}.*\n)+/, '')
}

test.each<[string, ResetTarget[]]>([
  ['to a checkpoint', [{ at: 'checkpoint', position: unitOf(4).checkpoint }]],
  ['twice in a row', [7, 2].map((number) => ({ at: 'checkpoint', position: unitOf(number).checkpoint }))],
  ['to the newest checkpoint', [{ at: 'checkpoint', position: unitOf(9).checkpoint }]],
  ['to the start', [{ at: 'start', keepRecords: false }]],
  ['to the start, with all records kept', [{ at: 'start', keepRecords: true }]],
])('nothing is found after a reset %s, before and after the next run', async (_, targets) => {
  first = await createTestProject(copy.dir, { settings: { end: 9 } })
  const connector = chainConnector()
  await first.run(connector)
  const { queue } = first
  const { writerId } = first.instance
  for (const target of targets) await resetCheckpoint({ queue, writerId, target, log: pino({ level: 'silent' }) })
  expect((await verifyProject(first, connector)).findings).toEqual([])
  await first.run(connector)
  expect((await verifyProject(first, connector)).findings).toEqual([])
})

test('a wrong older record is still found', async () => {
  await copy.rewrite((manifest) => manifest.replace('    key: Hash\n', ''))
  const { next } = await publishThrough(async () => {
    await copy.rewrite((manifest) => manifest)
    await addField()
  }, widerSchema)
  const other = defineConnector({
    ...comparing(widerSchema),
    async *verify({ units }) {
      for await (const unit of units) {
        const { Block: blocks, Transaction } = unitOf(unit.unit - 1).messages
        yield* unit.differences({
          Block: blocks.map((block) => ({ ...block, Number: block.Number + 1n })),
          Transaction,
        })
      }
    },
  })
  const { findings } = await verifyProject(next, other)
  expect(findings).toMatchObject(
    Array.from({ length: 10 }, (_, index) => ({
      ...{ code: 'message_differs', seq: index },
      ...{ expected: { Number: `${index + 1}` }, found: { Number: `${index}` } },
    })),
  )
})
