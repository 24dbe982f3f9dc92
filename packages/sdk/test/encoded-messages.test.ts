import type { EncodedMessage, EncodedUnit, MessageCodec } from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { BinaryWriter } from '@headrace/sdk/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector, type Head, unitOf } from './chain/connector.ts'
import { openChain } from './chain/open.ts'
import { schema } from './chain/schema.ts'
import { comparingChain, verifyProject } from './verify-project.ts'

let project: TestProject
beforeEach(async () => {
  project = await openChain()
})
afterEach(() => project.close())

function encoded<T>({ encode }: MessageCodec<T>, messages: readonly T[]): EncodedMessage[] {
  return messages.map((message) => encode(message, new BinaryWriter()).finish())
}

/** The messages of a block as bytes. */
function encodedMessages(number: number) {
  const { Block, Transaction } = unitOf(number).messages
  return {
    Block: encoded(schema.messages.Block, Block),
    Transaction: encoded(schema.messages.Transaction, Transaction),
  }
}

/** `isEncoded`: whether the messages of a block are bytes. */
const connectorOf = (isEncoded: (number: number) => boolean) =>
  chainConnector((unit) => {
    const { number } = unit.checkpoint
    return isEncoded(number) ? { ...unit, messages: encodedMessages(number) } : unit
  })

async function recordsOf(isEncoded: (number: number) => boolean) {
  await using own = await openChain()
  const summary = await own.run(connectorOf(isEncoded))
  return { summary, Block: await own.records('Block'), Transaction: await own.records('Transaction') }
}

test('encoded messages are published with the keys, times and values of the objects that they encode', async () => {
  const published = await recordsOf(() => false)
  expect(published.summary).toMatchObject({ units: 21, badMessages: 0 })
  expect(published.Transaction).not.toHaveLength(0)
  for (const { Block, Transaction, summary } of [await recordsOf(() => true), await recordsOf((n) => n % 3 === 0)]) {
    expect(summary).toMatchObject({ units: 21, badMessages: 0 })
    expect(Block).toEqual(published.Block)
    expect(Transaction).toEqual(published.Transaction)
  }
})

test('encoded messages are published unchanged', async () => {
  const [block] = encodedMessages(0).Block
  const withUnknownField = Buffer.concat([block!, Buffer.from([0xa0, 0x06, 0x01])])
  const unit: EncodedUnit<typeof schema, Head> = { ...unitOf(0), messages: { Block: [withUnknownField] } }
  await project.run(
    chainConnector(() => unit),
    { stopAfter: 1 },
  )
  const at = { topic: 'acme.chain.1_0_0.test_Block', partition: 0, offset: 0n }
  const { batches } = await project.queue.read(at, { maxBytes: 1 })
  const [record] = batches.flatMap((batch) => [...batch.records()])
  expect(Buffer.from(record!.value!)).toEqual(withUnknownField)
})

test('a source that yields encoded messages is verified as one that yields objects', async () => {
  const connector = connectorOf((number) => number % 2 === 0)
  await project.run(connector)
  const other = comparingChain(connector, (number) =>
    number % 3 === 0 ? unitOf(number).messages : encodedMessages(number),
  )
  expect((await verifyProject(project, other.connector)).findings).toEqual([])
  expect(other.compared).toHaveLength(21)

  const changed = (number: number) => unitOf(number).messages.Transaction.map((each) => ({ ...each, Hash: 'other' }))
  const differing = [5, 6].map(async (different) => {
    const inBytes = comparingChain(connector, (number) =>
      number === different
        ? { ...encodedMessages(number), Transaction: encoded(schema.messages.Transaction, changed(number)) }
        : encodedMessages(number),
    )
    const inObjects = comparingChain(connector, (number) =>
      number === different ? { ...unitOf(number).messages, Transaction: changed(number) } : unitOf(number).messages,
    )
    const [one, two] = [
      await verifyProject(project, inBytes.connector),
      await verifyProject(project, inObjects.connector),
    ]
    expect(one.findings).not.toEqual([])
    expect(one.findings).toEqual(two.findings)
  })
  await Promise.all(differing)
})
