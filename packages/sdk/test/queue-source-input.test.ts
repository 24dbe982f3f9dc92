import { systemTopics } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { type QueueInput, queueSource } from '@headrace/sdk'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainConnector, unitOf } from './chain/connector.ts'
import { totalsConnector } from './queue-source/totals/connector.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

const blocks = 'acme.chain.1_0_0.test_Block'
const transactions = 'acme.chain.1_0_0.test_Transaction'
const topics = { Block: blocks, Transaction: transactions }

let totals: TestProject
let input: TestProject
let stop: AbortController
beforeEach(async () => {
  totals = await createTestProject(new URL('queue-source/totals', import.meta.url))
  input = await totals.openOther(new URL('chain', import.meta.url))
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await totals.close()
})

/** A source with the given history. */
const sourceOn = (queue: Queue, history: readonly string[] = []) => ({
  queue,
  history: () => history,
  signal: stop.signal,
  log: pino({ level: 'silent' }),
})

interface Messages {
  Block: { Hash: string }
  Transaction: { Hash: string }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const hashes = ({ messages }: QueueInput<Messages>) => messages.Block.map(({ Hash }) => Hash)
const publishedHashes = async () => (await totals.records('Total')).map(({ key }) => key)
const hashesTo = (end: number) => Array.from({ length: end + 1 }, (_, number) => unitOf(number).checkpoint.hash)

describe('a live input', () => {
  test('is followed through a reorganisation until the run is stopped', async () => {
    const units = parseScript('a0 a1 a2 a1<b2 b3')
    const seen: (string | undefined)[] = []
    const next = Promise.withResolvers<void>()
    const running = totals.run(
      totalsConnector({
        follow: true,
        beforeEach(block) {
          seen.push(block)
          if (block === 'a2') next.resolve()
          if (block === 'b3') queueMicrotask(() => stop.abort())
        },
      }),
      { signal: stop.signal },
    )
    // The connector waits for the topics, which do not exist at first.
    await input.run(scriptConnector(units.slice(0, 3)))
    await Promise.race([next.promise, running])
    await input.run(scriptConnector(units))
    expect(await running).toMatchObject({ reason: 'stopped' })
    expect(seen).toEqual(['a0', 'a1', 'a2', 'b2', 'b3'])
  })

  test('is waited for until its topics are registered', async () => {
    await totals.queue.createTopics([{ name: blocks }, { name: transactions, partitions: 3 }])
    const read = queueSource<Messages>(sourceOn(totals.queue), { topics })
    await expect(read.next()).rejects.toThrow(expect.objectContaining({ code: 'input_missing' }))
    await input.run(chainConnector(), { stopAfter: 1 })
    expect(hashes((await queueSource<Messages>(sourceOn(totals.queue), { topics }).next()).value!)).toEqual(hashesTo(0))
  })

  test('yields a unit only when all its records are readable', async () => {
    await input.run(chainConnector(), { stopAfter: 2 })
    const hidden = hide(totals.queue, transactions)
    const read = queueSource<Messages>(sourceOn(hidden.queue), { topics })
    let shown = false
    const first = read.next().then(({ value }) => ({ shown, hashes: hashes(value!) }))
    await hidden.tried
    shown = true
    hidden.show()
    expect(await first).toEqual({ shown: true, hashes: hashesTo(0) })
    const { messages } = (await read.next()).value!
    expect(messages.Transaction.map(({ Hash }) => Hash)).toEqual(['0x00000001-0'])
  })

  test('propagates final, even if nothing else changes', async () => {
    const units = parseScript('a0 a1 a2! a3')
    await input.run(scriptConnector(units.slice(0, 2)))
    await totals.run(totalsConnector())
    expect((await totals.storedCheckpoint())!.final).toBeNull()
    await input.run(scriptConnector(units))
    await totals.run(totalsConnector())
    expect((await totals.storedCheckpoint())!.final).toMatchObject({ unit: 3 })

    const { checkpoint } = units[3]!
    const last = { checkpoint: { name: 'empty', step: 4 }, final: checkpoint }
    await input.run(scriptConnector([...units, last]))
    expect(await totals.run(totalsConnector())).toMatchObject({ units: 1, records: 0 })
    expect((await totals.storedCheckpoint())!.final).toMatchObject({ unit: 5 })
    expect(await totals.run(totalsConnector())).toMatchObject({ units: 0 })
  })
})

test('a unit that was reverted before its replacement became final is not final', async () => {
  const units = parseScript('a0 a1 a2 a0<b1 b2 <c0 c1! c2')
  await input.run(scriptConnector(units))
  expect(await totals.run(totalsConnector())).toMatchObject({ units: 8 })
  expect((await totals.storedCheckpoint())!.final).toMatchObject({ unit: 7 })
})

describe('an input of several topics', () => {
  test('yields each unit with a record in one of its topics', async () => {
    await input.run(chainConnector())
    // Every fourth block has no transaction.
    expect(await totals.run(totalsConnector({ only: 'Transaction' }))).toMatchObject({ units: 15, records: 30 })
  })

  test('is refused if other topics are read after a restart', async () => {
    await input.run(chainConnector())
    await totals.run(totalsConnector({ only: 'Block' }))
    await expect(totals.run(totalsConnector())).rejects.toMatchObject({
      code: 'input_changed',
      message: expect.stringContaining(`from the input ${blocks}, and now reads ${blocks}, ${transactions}.`),
    })
  })

  test('is refused if its topics are of different connector instances', async () => {
    await input.run(chainConnector())
    const other = await totals.openOther(new URL('chain', import.meta.url), { settings: { chain: 'other' } })
    await other.run(chainConnector())
    const both = { Block: blocks, Other: 'acme.chain.1_0_0.other_Block' }
    await expect(queueSource(sourceOn(totals.queue), { topics: both }).next()).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})

describe('the first unit of an input', () => {
  test("with 'latest' is one that is published after the start", async () => {
    await input.run(chainConnector(), { stopAfter: 5 })
    const { queue, tried, show } = hide(totals.queue, systemTopics.checkpoints)
    const first = queueSource<Messages>(sourceOn(queue), { topics, from: 'latest' }).next()
    // The source has started and waits for a newer checkpoint.
    await tried
    await input.run(chainConnector())
    show()
    expect(hashes((await first).value!)).toEqual([unitOf(5).checkpoint.hash])
  })

  test("with 'earliest' is the first one that retention has not removed even partly", async () => {
    await input.run(chainConnector(), { oneByOne: true })
    const fifth = (await input.records('Block')).find(({ value }) => (value as { Number: string }).Number === '5')!
    await totals.queue.deleteBefore(blocks, 0, fifth.offset)
    const [read] = await all(queueSource<Messages>(sourceOn(totals.queue), { topics, follow: false }))
    // Retention may have removed records of unit 5.
    expect(hashes(read!)).toEqual([unitOf(6).checkpoint.hash])
  })
})

describe('the loss of an input', () => {
  beforeEach(async () => {
    await input.run(chainConnector(), { oneByOne: true, stopAfter: 5 })
    await totals.run(totalsConnector())
    await input.run(chainConnector(), { oneByOne: true })
  })

  test('to retention ends the run with an explanation, and keeps published records', async () => {
    const { offset } = (await input.records('Block')).at(-1)!
    await totals.queue.deleteBefore(blocks, 0, offset)
    await expect(totals.run(totalsConnector())).rejects.toMatchObject({
      code: 'input_lost',
      message: expect.stringMatching(/retention removed the offsets \d+ to \d+ of partition 0 before they were read/),
    })
    expect(await publishedHashes()).toEqual(hashesTo(4))
  })

  test('to a re-creation of the topic ends the run with an explanation', async () => {
    const recreated: Queue = {
      ...totals.queue,
      describe: async (names) =>
        (await totals.queue.describe(names)).map((one) => (one.name === blocks ? { ...one, id: 'another' } : one)),
    }
    await expect(totals.run(totalsConnector(), { queue: recreated })).rejects.toMatchObject({
      code: 'input_lost',
      message: expect.stringContaining('created again'),
    })
  })
})

describe('a topic', () => {
  test('without a record is waited for', async () => {
    await input.run({ ...chainConnector(), read: async function* () {} })
    const first = queueSource<Messages>(sourceOn(totals.queue), { topics }).next()
    await input.run(chainConnector(), { stopAfter: 1 })
    expect(hashes((await first).value!)).toEqual(hashesTo(0))
  })

  test('without a record ends immediately with follow: false', async () => {
    await input.run({ ...chainConnector(), read: async function* () {} })
    expect(await all(queueSource(sourceOn(totals.queue), { topics, follow: false }))).toEqual([])
  })

  test('with a unit after records without a unit is refused at that unit', async () => {
    const { queue } = totals
    await input.run(chainConnector())
    await queue.createTopics([{ name: 'foreign' }])
    await queue.append([{ topic: 'foreign', key: null, value: Buffer.from('one'), time: 1 }])
    const [unit] = (await queue.read({ topic: blocks, partition: 0, offset: 0n }, { maxBytes: 1 })).batches
    const [{ headers, value }] = [...unit!.records()] as [QueueRecord]
    await queue.append([{ topic: 'foreign', key: null, value, headers, time: 1 }])
    const foreign = { topic: 'foreign', decode: () => 'text' }
    const read = queueSource(sourceOn(queue), { topics: { Text: foreign }, follow: false })
    expect((await read.next()).value!.messages.Text).toEqual(['text'])
    await expect(read.next()).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('that does not exist is waited for within the budget', async () => {
    const retry = { firstMs: 1, maxMs: 5, budgetMs: 20 }
    await expect(totals.run(totalsConnector(), { retry })).rejects.toMatchObject({ code: 'input_missing' })
  })

  test('without units is read record by record, with a decoder', async () => {
    const { queue } = totals
    await queue.createTopics([{ name: 'foreign', partitions: 2 }])
    const record = (partition: number, text: string) => ({
      ...{ topic: 'foreign', partition, key: Buffer.from(text), value: Buffer.from(text), time: 1000 },
    })
    await queue.append([record(0, 'one'), record(0, 'two'), record(1, 'three')])
    const foreign = { topic: 'foreign', decode: ({ value }: { value: Uint8Array }) => Buffer.from(value).toString() }
    const read = (history: readonly string[], follow: boolean) =>
      queueSource(sourceOn(queue, history), { topics: { Text: foreign }, follow })
    const units = await all(read([], false))
    expect(units.map(({ messages }) => messages.Text)).toEqual([['one'], ['two'], ['three']])
    const { place } = units[1]!
    expect(place).toMatchObject({ final: place.checkpoint, time: new Date(1000) })
    const live = read([place.checkpoint], true)
    expect((await live.next()).value!.messages.Text).toEqual(['three'])
    const next = live.next()
    await queue.append([record(1, 'four')])
    expect((await next).value!.messages.Text).toEqual(['four'])
  })

  test('that is not registered needs a decoder', async () => {
    await totals.queue.createTopics([{ name: 'foreign' }])
    const value = Buffer.from('text')
    await totals.queue.append([{ topic: 'foreign', key: null, value, time: Date.now() }])
    await expect(queueSource(sourceOn(totals.queue), { topics: { Text: 'foreign' } }).next()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('give a decoder'),
    })
  })
})

test('a message that could not be produced is reported as missing', async () => {
  await input.run(
    chainConnector((unit) => {
      if (unit.checkpoint.number === 2) unit.messages!.Block![0]!.Number = -1n
      return unit
    }),
    { stopAfter: 3 },
  )
  const units = await all(queueSource(sourceOn(totals.queue), { topics, follow: false }))
  expect(units.map(({ missing }) => missing.length)).toEqual([0, 0, 1])
  expect(units[2]!.missing[0]).toMatchObject({ name: 'Block', topic: blocks, partition: 0, reason: 'produce_failed' })
})

test('a unit with reverts that is not yielded ends the run', async () => {
  const units = parseScript('a0 a1 a0<b1 b2')
  await input.run(scriptConnector(units.slice(0, 2)))
  await totals.run(totalsConnector())
  await input.run(scriptConnector(units))
  const { schema, read } = totalsConnector()
  const withoutReverts = {
    schema,
    async *read(source: Parameters<typeof read>[0]) {
      for await (const unit of read(source)) if (unit.revertTo === undefined) yield unit
    },
  }
  await expect(totals.run(withoutReverts)).rejects.toMatchObject({ code: 'invalid_input' })
})

test('a dry run has no queue', async () => {
  const { queue: _, ...source } = sourceOn(totals.queue)
  await expect(queueSource(source, { topics }).next()).rejects.toMatchObject({ code: 'invalid_input' })
})

/** A queue that hides the records of a topic until `show`. `tried` resolves when a reader waits for them. */
function hide(queue: Queue, topic: string): { readonly queue: Queue; readonly tried: Promise<void>; show(): void } {
  let hidden = true
  const tried = Promise.withResolvers<void>()
  const shown = Promise.withResolvers<void>()
  const read: Queue['read'] = async (at, limits) => {
    if (!hidden || at.topic !== topic) return queue.read(at, limits)
    if (limits.maxWaitMs) {
      tried.resolve()
      await shown.promise
    }
    return { batches: [], next: at.offset, end: at.offset }
  }
  return {
    queue: { ...queue, read },
    tried: tried.promise,
    show() {
      hidden = false
      shown.resolve()
    },
  }
}
