import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../random.ts'
import { call, callAll } from '../json-rpc.ts'
import { versionedHash } from '../signed-transactions.ts'
import { emptyPayload, type Parent } from './empty-payload.ts'
import { type BuiltPayload, createEngineCall, type ExecutionPayload } from './engine-api.ts'
import { type Fork, genesis } from './genesis.ts'
import { createSignedTraffic } from './signed-traffic.ts'
import { startGeth } from './start-geth.ts'

export interface GethChainOptions {
  /** Path of the program. */
  readonly binary: string
  /** The same seed gives the same transactions. Default 1. */
  readonly seed?: number
  /** Default 31337. */
  readonly chainId?: number
  /** Default `prague`. */
  readonly fork?: Fork
}

/** A chain of a real geth. The test is its consensus client. */
export interface GethChain {
  readonly rpc: string
  readonly ws: string
  /** Builds blocks on the head, with `transactions` each, and makes the last one the head. Returns their hashes. */
  mine(blocks: number, options?: { transactions?: number }): Promise<string[]>
  /** Adds a branch of empty Prague blocks to any block. The head stays. Returns their hashes. */
  branch(parent: string, blocks: number): Promise<string[]>
  /** Makes a block of any branch the head, and optionally blocks of that branch safe and final. */
  setHead(head: string, marks?: { safe?: string; finalized?: string }): Promise<void>
  headNumber(): Promise<number>
  /** Hash of a block of the canonical chain. */
  hashAt(number: number): Promise<string>
  stop(): Promise<void>
}

/** Starts a chain of one block, whose number is 0. */
export async function startGethChain(options: GethChainOptions): Promise<GethChain> {
  const { binary, seed = 1, chainId = 31337, fork = 'prague' } = options
  const random = createRandom(seed)
  const traffic = createSignedTraffic(chainId, fork, random)
  const node = await startGeth(binary, genesis(chainId, fork, traffic.accounts))
  const engine = createEngineCall(node.engine)
  const { rpc, ws } = node
  const block = (tag: string) => call<Parent>(rpc, 'eth_getBlockByNumber', [tag, false])

  async function setHead(head: string, { safe = noBlock, finalized = noBlock } = {}): Promise<void> {
    await updateForkChoice({ headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized })
    const now = await block('latest')
    if (now.hash !== head) throw new Error(`geth keeps block ${now.hash} as its head: it accepts no ancestor of it.`)
  }

  async function updateForkChoice(
    state: Record<string, string>,
    attributes: object | null = null,
  ): Promise<string | null> {
    const { payloadStatus, payloadId } = await engine<Choice>('engine_forkchoiceUpdatedV3', [state, attributes])
    if (payloadStatus.status !== 'VALID') throw new Error(`geth reports the head as ${payloadStatus.status}.`)
    return payloadId
  }

  async function addBlock(payload: ExecutionPayload, commitments: readonly string[], requests: readonly string[]) {
    const params = [payload, commitments.map(versionedHash), beaconRoot, requests]
    const { status, validationError } = await engine<Status>('engine_newPayloadV4', params)
    if (status !== 'VALID') throw new Error(`geth reports a block as ${status}: ${validationError}.`)
    return payload.blockHash
  }

  /** Sends the transactions that the pool does not have. It sometimes drops blobs of blocks that it reverts. */
  async function sendAllMade(): Promise<void> {
    let failure: unknown
    for (const deadline = Date.now() + longestWaitMs; Date.now() < deadline; await delay(10)) {
      const missing = await missingTransactions()
      // Transactions that exceed the pool are sent for the next block.
      if (missing.length === 0 || String(failure).includes('account limit exceeded')) return
      const calls = missing.map((serialized) => ({ method: 'eth_sendRawTransaction', params: [serialized] }))
      // While the pool is updated to a new head, it rejects even valid and known transactions.
      await callAll(rpc, calls).catch((error: unknown) => {
        failure = error
      })
    }
    throw failure ?? new Error('geth does not accept the transactions that were sent.')
  }

  async function missingTransactions(): Promise<string[]> {
    const calls = traffic.accounts.map((account) => ({
      method: 'eth_getTransactionCount',
      params: [account, 'pending'],
    }))
    const counts = await callAll(rpc, calls)
    return traffic.accounts.flatMap((account, index) => {
      const known = Number(counts[index])
      return traffic.madeOf(account).slice(known, known + blobSlots)
    })
  }

  /** Builds until the block has all transactions, since the pool offers new ones with a delay. */
  async function build(transactions: number): Promise<string> {
    for (let made = 0; made < transactions; made++) traffic.next()
    await sendAllMade()
    const head = await block('latest')
    for (let waitMs = 10; waitMs < longestWaitMs; waitMs *= 2) {
      const attributes = {
        timestamp: `0x${(Number(head.timestamp) + 12).toString(16)}`,
        ...{ prevRandao: random.hex(32), suggestedFeeRecipient: `0x${'fe'.repeat(20)}` },
        ...{ withdrawals: [], parentBeaconBlockRoot: beaconRoot },
      }
      const id = await updateForkChoice({ ...noMarks, headBlockHash: head.hash }, attributes)
      await delay(waitMs)
      const built = await engine<BuiltPayload>(fork === 'osaka' ? 'engine_getPayloadV5' : 'engine_getPayloadV4', [id])
      if (built.executionPayload.transactions.length < transactions) continue
      const { executionPayload, blobsBundle, executionRequests } = built
      const hash = await addBlock(executionPayload, blobsBundle.commitments, executionRequests)
      await setHead(hash)
      return hash
    }
    throw new Error(`geth builds no block with ${transactions} transactions.`)
  }

  return {
    rpc,
    ws,
    setHead,
    async mine(blocks, { transactions = 3 } = {}) {
      const hashes: string[] = []
      for (let count = 0; count < blocks; count++) hashes.push(await build(transactions))
      return hashes
    },
    async branch(parent, blocks) {
      const hashes: string[] = []
      for (let on = parent; hashes.length < blocks; on = hashes.at(-1)!) {
        const payload = emptyPayload(await call<Parent>(rpc, 'eth_getBlockByHash', [on, false]), random.hex(32))
        hashes.push(await addBlock(payload, [], []))
      }
      return hashes
    },
    headNumber: async () => Number((await block('latest')).number),
    hashAt: async (number) => (await block(`0x${number.toString(16)}`)).hash,
    stop: node.stop,
  }
}

interface Status {
  readonly status: string
  readonly validationError: string | null
}

interface Choice {
  readonly payloadStatus: Status
  readonly payloadId: string | null
}

const noBlock = `0x${'00'.repeat(32)}`
const noMarks = { safeBlockHash: noBlock, finalizedBlockHash: noBlock }
const beaconRoot = noBlock
const longestWaitMs = 60_000
/** Maximum number of blob transactions of an account in the pool. */
const blobSlots = 16
