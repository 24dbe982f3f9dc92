import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../random.ts'
import { call, callAll } from '../json-rpc.ts'
import { emptyPayload, type Parent } from './empty-payload.ts'
import { type BuiltPayload, createEngineCall, type ExecutionPayload } from './engine-api.ts'
import { type Fork, genesis } from './genesis.ts'
import { createSignedTraffic, versionedHash } from './signed-traffic.ts'
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

/** A chain of a real geth, which does what its consensus client says: here, what a test says. */
export interface GethChain {
  readonly rpc: string
  readonly ws: string
  /** Builds blocks on the head, each with so many transactions sent for it, and makes the last one the head. */
  mine(blocks: number, options?: { transactions?: number }): Promise<string[]>
  /** Gives the node empty blocks of Prague, each on the one before, the first on any block. The head stays. */
  branch(parent: string, blocks: number): Promise<string[]>
  /** Makes a block of any branch the head, and blocks of that branch safe and final. Without them these two stay. */
  setHead(head: string, marks?: { safe?: string; finalized?: string }): Promise<void>
  headNumber(): Promise<number>
  /** Hash of the block of a number in the chain of the head. */
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
    await choose({ headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized })
    const now = await block('latest')
    if (now.hash !== head) throw new Error(`geth keeps block ${now.hash} as its head: it takes up no ancestor of it.`)
  }

  async function choose(state: Record<string, string>, attributes: object | null = null): Promise<string | null> {
    const { payloadStatus, payloadId } = await engine<Choice>('engine_forkchoiceUpdatedV3', [state, attributes])
    if (payloadStatus.status !== 'VALID') throw new Error(`geth calls the head ${payloadStatus.status}.`)
    return payloadId
  }

  async function take(payload: ExecutionPayload, commitments: readonly string[], requests: readonly string[]) {
    const params = [payload, commitments.map(versionedHash), beaconRoot, requests]
    const { status, validationError } = await engine<Status>('engine_newPayloadV4', params)
    if (status !== 'VALID') throw new Error(`geth calls a block ${status}: ${validationError}.`)
    return payload.blockHash
  }

  /** Sends what it does not have: of blocks that it leaves for another branch its pool loses blobs now and then. */
  async function sendAllMade(): Promise<void> {
    let failure: unknown
    for (const deadline = Date.now() + longestWaitMs; Date.now() < deadline; await delay(10)) {
      const missing = await missingTransactions()
      // What finds no room in its pool is sent when the next block is built.
      if (missing.length === 0 || String(failure).includes('account limit exceeded')) return
      const calls = missing.map((serialized) => ({ method: 'eth_sendRawTransaction', params: [serialized] }))
      // While its pool follows a new head it refuses what fits, and what it has.
      await callAll(rpc, calls).catch((error: unknown) => {
        failure = error
      })
    }
    throw failure ?? new Error('geth does not take up what it was sent.')
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

  /** Lets it build until all that was sent is in the block: what comes into its pool is there a little later. */
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
      const id = await choose({ ...noMarks, headBlockHash: head.hash }, attributes)
      await delay(waitMs)
      const built = await engine<BuiltPayload>(fork === 'osaka' ? 'engine_getPayloadV5' : 'engine_getPayloadV4', [id])
      if (built.executionPayload.transactions.length < transactions) continue
      const { executionPayload, blobsBundle, executionRequests } = built
      const hash = await take(executionPayload, blobsBundle.commitments, executionRequests)
      await setHead(hash)
      return hash
    }
    throw new Error(`geth does not take up ${transactions} transactions.`)
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
        hashes.push(await take(payload, [], []))
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
/** So many blobs of an account find room in its pool. */
const blobSlots = 16
