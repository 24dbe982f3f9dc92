import { createTestProject } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import connector from '../../../../examples/evm/src/connector.ts'
import * as messages from '../../../../examples/evm/src/generated/evm.ts'
import { startFakeNode } from '../../../testbed/chain/fake-node.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Call } from '../../../testbed/recorded-chain/answer-call.ts'
import { withExtremes } from '../../../testbed/recorded-chain/extreme-blocks.ts'
import { readRecording } from '../../../testbed/recorded-chain/recording.ts'
import { type ReplayFault, receiptFaults, replayFaults } from '../../../testbed/recorded-chain/replay-fault.ts'
import { createReplayedChain, type ReplayedChain } from '../../../testbed/recorded-chain/replayed-chain.ts'
import type { EvmCheckpoint } from '../../src/index.ts'
import { toBlock } from '../oracle/block.ts'
import { toLogs } from '../oracle/log.ts'
import { toReceipt } from '../oracle/receipt.ts'
import { toTransaction } from '../oracle/transaction.ts'
import { canonicalRecords, recordDigest } from './canonical-records.ts'
import { createFaultDeck } from './fault-deck.ts'
import { moveChain } from './moving-chain.ts'

const blocks = { once: 300, scaled: 800, full: 10_000 }[inject('faultScale')]
const each = { once: 1, scaled: 2, full: 25 }
const reorganisationsEach = 4
const endpoints = 3
/** Newest blocks whose transactions are counted. */
const countedBlocks = 16

const publications = [
  { title: 'blocks and transactions alone, as by default', settings: {}, faults: without(receiptFaults) },
  { title: 'receipts and logs too', settings: { receipts: true, logs: true }, faults: replayFaults },
]

test.each(publications)(
  'a chain is published completely, each record once, from endpoints that fail in every way: $title',
  async (publication) => {
    const { title, settings, faults } = publication
    const reorganised = 'published blocks replaced'
    const kinds = faults.length + reorganisationsEach
    const counts = { once: kinds * each.once, scaled: kinds * each.scaled, full: kinds * each.full }
    const plan = planFaults(`endpoints that fail, ${title}`, counts, [...faults, reorganised])
    const { random } = plan
    const times = plan.count / kinds
    const chain = createReplayedChain({ recorded: withExtremes(await readRecording()), head: Math.floor(blocks * 0.8) })
    const deck = createFaultDeck({ random, faults, each: times, blocks })
    const reorganisations = times * reorganisationsEach
    let highest = 0
    /** Without receipts the last transaction is checked in the newest blocks only. */
    const canBeSeen = (fault: ReplayFault | undefined, { params: [number] }: Call) =>
      fault !== 'missing_last_transaction' || 'receipts' in settings || Number(number) > highest - countedBlocks
    const moving = moveChain({
      ...{ chain, random, last: blocks, reorganisations },
      onReorganisation: () => plan.hit(reorganised),
    })
    await using resources = new AsyncDisposableStack()
    const rpc: string[] = []
    for (let index = 0; index < endpoints; index++) {
      const server = await startFakeNode({
        chain,
        fault(call) {
          moving.onCall(call)
          if (call.params[0] === 'latest') highest = Math.max(highest, chain.head)
          const fault = deck.next(call)
          return canBeSeen(fault, call) ? fault : undefined
        },
        onFault(fault) {
          deck.strike(fault)
          plan.hit(fault)
        },
      })
      resources.defer(() => server.close())
      rpc.push(server.rpc)
    }
    const project = await createTestProject(new URL('../../../../examples/evm', import.meta.url), {
      settings: { rpc, start: 0, end: blocks, poll: 0.01, timeout: 0.5, ...settings },
    })
    resources.use(project)
    const summary = await project.run(connector, {
      retry: { firstMs: 10, maxMs: 100 },
      observer: { onCommit: ({ checkpoint }) => moving.onPublished((checkpoint as EvmCheckpoint).hash) },
    })
    expect(summary).toMatchObject({ reason: 'ended', badMessages: 0 })
    plan.expectAllHit()
    const expected = expectedRecords(chain)
    for (const { message, name } of project.instance.topics) {
      const { digests, reverted } = await canonicalRecords(project.queue, name)
      expect(firstDifference(digests, expected.get(message)!), `records of ${message}`).toBeUndefined()
      expect(reverted, `reverted records of ${message}`).toBeGreaterThanOrEqual(
        message.endsWith('.Block') ? reorganisations : 1,
      )
    }
  },
)

function without(excluded: readonly ReplayFault[]): readonly ReplayFault[] {
  return replayFaults.filter((fault) => !excluded.includes(fault))
}

/** Digests of the canonical records of each message. */
function expectedRecords(chain: ReplayedChain): ReadonlyMap<string, readonly string[]> {
  const { Block, Transaction, Receipt, Log } = messages
  const of = { Block: [] as string[], Transaction: [] as string[], Receipt: [] as string[], Log: [] as string[] }
  for (let number = 0; number <= chain.head; number++) {
    const { block, receipts } = chain.read(chain.at(number)!)
    const header = toBlock(block)
    of.Block.push(recordDigest(block.hash, Block.encode(header).finish()))
    for (const each of block.transactions)
      of.Transaction.push(recordDigest(each.hash, Transaction.encode(toTransaction(each, header)).finish()))
    for (const receipt of receipts) {
      const key = receipt.transactionHash
      of.Receipt.push(recordDigest(key, Receipt.encode(toReceipt(receipt, header)).finish()))
      for (const log of toLogs(receipt, header)) of.Log.push(recordDigest(key, Log.encode(log).finish()))
    }
  }
  return new Map(Object.entries(of).map(([name, records]) => [`headrace.evm.${name}`, records]))
}

/** Digests, because a chain has hundreds of thousands of records. */
function firstDifference(one: readonly string[], other: readonly string[]): object | undefined {
  const length = Math.max(one.length, other.length)
  for (let index = 0; index < length; index++)
    if (one[index] !== other[index]) return { index, published: one[index], expected: other[index] }
  return undefined
}
