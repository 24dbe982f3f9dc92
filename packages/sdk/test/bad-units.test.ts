import { systemTopics } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { Connector } from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BlockUnit, chainConnector, type Head, unitOf } from './chain/connector.ts'
import { openChain } from './chain/open.ts'
import { schema } from './chain/schema.ts'
import { expectExactlyOnce } from './exactly-once.ts'

let project: TestProject
beforeEach(async () => {
  project = await openChain()
})
afterEach(() => project.close())

const blockTopic = 'acme.chain.1_0_0.test_Block'
const retry = { firstMs: 1, maxMs: 5, budgetMs: 20 }

/** A chain whose block 5 is changed. */
const changed = (change: (unit: ReturnType<typeof unitOf>) => unknown) =>
  chainConnector((unit) => (unit.checkpoint.number === 5 ? (change(unitOf(5)) as BlockUnit) : unit))

/** A block that cannot be encoded, because its number is not in the range of uint64. */
const unencodable = changed((unit) => {
  unit.messages.Block[0]!.Number = -1n
  return unit
})

async function deadLetters(): Promise<Record<string, unknown>[]> {
  const { batches } = await project.queue.read(
    { topic: systemTopics.deadLetters, partition: 0, offset: 0n },
    { maxBytes: 1024 * 1024 },
  )
  return batches.flatMap((batch) =>
    [...batch.records()].map(({ value }) => JSON.parse(Buffer.from(value!).toString()) as Record<string, unknown>),
  )
}

test('a message that cannot be encoded gets a record without a value, and a dead letter with the reason', async () => {
  expect(await project.run(unencodable)).toMatchObject({ units: 21, badMessages: 1, reason: 'ended' })
  const blocks = await project.records('Block')
  expect(blocks.map(({ seq }) => seq)).toEqual(blocks.map((_, i) => i))
  expect(blocks).toHaveLength(21)
  expect(blocks[5]).toMatchObject({ unit: 6, seq: 5, value: null })
  expect(blocks[5]!.error).toContain('encode_failed: a uint64 field holds -1')
  expect(blocks[6]).toMatchObject({ unit: 7, value: { Number: '6' } })
  expect(await project.records('Transaction')).toHaveLength(30)
  expect(await deadLetters()).toEqual([
    {
      topic: blockTopic,
      partition: 0,
      seq: 5,
      unit: 6,
      message: 'acme.chain.Block',
      writer: 'acme.chain.1_0_0/test',
      code: 'encode_failed',
      reason: 'a uint64 field holds -1',
      description: expect.stringContaining('0x00000005'),
    },
  ])
})

test('a message that cannot be encoded is logged with its place and its reason', async () => {
  const logged: string[] = []
  await project.run(unencodable, { log: pino({ level: 'error' }, { write: (line) => logged.push(line) }) })
  const place = { topic: blockTopic, partition: 0, seq: 5, unit: 6, message: 'acme.chain.Block' }
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { ...place, msg: 'bad message', code: 'encode_failed', err: { message: 'a uint64 field holds -1' } },
  ])
})

test('a record that is too large for its topic is published without its value, and a dead letter contains its beginning', async () => {
  const connector = changed((unit) => {
    unit.messages.Transaction[0]!.From = new Uint8Array(40 * 1024 * 1024)
    return unit
  })
  expect(await project.run(connector)).toMatchObject({ units: 21, records: 51, badMessages: 1 })
  const [empty] = (await project.records('Transaction')).filter(({ error }) => error !== undefined)
  expect(empty).toMatchObject({ unit: 6, value: null })
  const [letter] = await deadLetters()
  expect(letter).toMatchObject({ code: 'record_too_large', seq: empty!.seq, partition: empty!.partition })
  expect(letter!.length).toBeGreaterThan(40 * 1024 * 1024)
  expect(Buffer.from(letter!.value as string, 'base64')).toHaveLength(64 * 1024)
})

test("a bad message ends the run with onBadMessage: 'stop', after the units before it", async () => {
  await expect(project.run(unencodable, { onBadMessage: 'stop' })).rejects.toMatchObject({ code: 'bad_message' })
  await expectExactlyOnce(project, 4)
  await project.run(chainConnector())
  await expectExactlyOnce(project, 20)
})

test.each([
  ['a type other than an object', () => 'unit', 'it is a string'],
  ['no checkpoint', () => ({ messages: {} }), 'it has no checkpoint'],
  ['a checkpoint that is not JSON', () => ({ checkpoint: { at: 1n } }), 'checkpoint.at is a bigint'],
  [
    'an unknown message',
    () => ({ checkpoint: 1, messages: { Receipt: [] } }),
    'Those with a topic are: Block, Transaction',
  ],
  [
    'messages outside a list',
    () => ({ checkpoint: 1, messages: { Block: {} } }),
    'its messages "Block" are not a list',
  ],
  ['a time other than a Date', () => ({ checkpoint: 1, time: 5 }), 'its time is not a Date'],
])('a unit with %s ends the run with an explanation, after the earlier units', async (_, change, pattern) => {
  await expect(project.run(changed(change))).rejects.toMatchObject({
    code: 'invalid_unit',
    message: expect.stringContaining(pattern),
  })
  await expectExactlyOnce(project, 4)
})

test('a unit of more than 64 MiB is refused', async () => {
  const connector = changed((unit) => {
    for (const transaction of [...unit.messages.Transaction, ...unit.messages.Transaction]) {
      unit.messages.Transaction.push({ ...transaction, From: new Uint8Array(35 * 1024 * 1024) })
    }
    return unit
  })
  await expect(project.run(connector)).rejects.toMatchObject({ code: 'unit_too_large' })
  await expectExactlyOnce(project, 4)
})

test('an error of read that outlasts the budget ends the run and is its cause', async () => {
  const connector = chainConnector((unit) => {
    if (unit.checkpoint.number === 5) throw new Error('connection refused')
    return unit
  })
  await expect(project.run(connector, { retry })).rejects.toMatchObject({
    code: 'source_failed',
    cause: expect.objectContaining({ message: 'connection refused' }),
  })
  await expectExactlyOnce(project, 4)
})

test.each([
  ['nothing', undefined, 'undefined'],
  ['a string', 'out of reach', 'out of reach'],
  ['an object without a prototype', Object.assign(Object.create(null), { status: 503 }), 'status: 503'],
  ['a symbol', Symbol('gone'), 'Symbol(gone)'],
])('%s that read throws is described', async (_, thrown, pattern) => {
  const connector = chainConnector((unit) => {
    if (unit.checkpoint.number === 5) throw thrown
    return unit
  })
  await expect(project.run(connector, { retry })).rejects.toMatchObject({
    code: 'source_failed',
    message: expect.stringContaining(pattern),
    cause: thrown,
  })
  await expectExactlyOnce(project, 4)
})

test('an error of a commit listener counts as a failed read, which starts again after the committed units', async () => {
  let calls = 0
  const connector: Connector<typeof schema, Head> = {
    schema,
    read(source) {
      if (++calls <= 3)
        source.onCommit(() => {
          throw new Error('cannot acknowledge')
        })
      return chainConnector().read(source)
    },
  }
  const summary = await project.run(connector, { oneByOne: true, retry: { firstMs: 1, maxMs: 5 } })
  expect(summary).toMatchObject({ units: 21, reason: 'ended' })
  expect(calls).toBe(4)
  await expectExactlyOnce(project, 20)
})

test('a UserError of read ends the run immediately', async () => {
  let calls = 0
  const error = new UserError('refused_credential', 'The key was refused.')
  const connector = chainConnector((unit) => {
    if (unit.checkpoint.number < 5) return unit
    calls++
    throw error
  })
  await expect(project.run(connector, { retry })).rejects.toBe(error)
  expect(calls).toBe(1)
  await expectExactlyOnce(project, 4)
})
