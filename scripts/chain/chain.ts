import { setTimeout as delay } from 'node:timers/promises'
import { startAnvil } from './anvil.ts'
import { call } from './json-rpc.ts'
import { createTraffic } from './traffic.ts'

export interface ChainOptions {
  /** Mines a block with transactions every so many ms. Without it blocks come from `mine` alone. */
  readonly blockTimeMs?: number
  /** Transactions of a block, not counting the rare kinds. Default 6. */
  readonly transactionsPerBlock?: number
  /** The same seed gives the same transactions. Default 1. */
  readonly seed?: number
  /** Whether to send blob transactions: the node takes 3 s for its first. Default: with `blockTimeMs` only. */
  readonly blobs?: boolean
  /** Default 31337. */
  readonly chainId?: number
  /** Name of the newest fork whose rules apply. Default `prague`. */
  readonly hardfork?: string
  /** Blocks of an epoch: the `finalized` block lies two epochs behind the head. Default 32. */
  readonly slotsInAnEpoch?: number
  /** Unix time of the genesis block, in seconds. Default now. */
  readonly genesisTime?: number
}

/** A real local chain. */
export interface Chain {
  /** URL of its JSON-RPC endpoint. */
  readonly rpc: string
  readonly pid: number
  /** Mines `blocks` blocks, each with transactions. Resolves when the last one is the head. */
  mine(blocks: number, options?: { transactions?: number }): Promise<void>
  /**
   * Replaces the newest `depth` blocks by as many other ones (`anvil_reorg`), with so many transactions each. Default 0.
   * Not while blocks are mined at a pace.
   */
  reorganise(depth: number, options?: { transactions?: number }): Promise<void>
  /** Rejects when the node or its traffic ends by itself; resolves after `stop`. */
  readonly ended: Promise<void>
  /** Ends traffic and node. Resolves when its process is gone. */
  stop(): Promise<void>
}

/** Starts a local chain with anvil. The genesis block is block 0; no other is there yet. */
export async function startChain(options: ChainOptions = {}): Promise<Chain> {
  const { blockTimeMs, transactionsPerBlock = 6, seed = 1, chainId = 31337 } = options
  const { blobs = blockTimeMs !== undefined } = options
  const anvil = await startAnvil({ hardfork: 'prague', slotsInAnEpoch: 32, ...options, chainId })
  const { rpc, process: node } = anvil
  const stopped = new AbortController()

  const traffic = await createTraffic(rpc, { chainId, seed, blobs }).catch(async (error) => {
    await anvil.stop()
    throw error
  })
  const mineOne = async (transactions: number, prepared?: () => Promise<void>) => {
    await traffic.send(transactions)
    await prepared?.()
    await call(rpc, 'evm_mine')
  }
  const exited = new Promise<void>((resolve, reject) => {
    node.once('exit', (code, signal) => {
      if (stopped.signal.aborted) resolve()
      else reject(new Error(`anvil ended by itself (${signal ?? `exit code ${code}`}).`))
    })
  })
  const flowing =
    blockTimeMs === undefined ? exited : flow(() => mineOne(transactionsPerBlock), blockTimeMs, stopped.signal)
  const ended = Promise.race([exited, flowing.then(() => exited)])
  ended.catch(() => {})

  return {
    rpc,
    pid: node.pid!,
    async mine(blocks, { transactions = transactionsPerBlock } = {}) {
      for (let mined = 0; mined < blocks; mined++) await mineOne(transactions, traffic.settled)
    },
    async reorganise(depth, { transactions = 0 } = {}) {
      await traffic.goBackTo(Number(await call(rpc, 'eth_blockNumber')) - depth)
      const replacements = Array.from({ length: depth }, (_, block) =>
        traffic.make(transactions).map(({ params: [transaction] }) => [transaction, block]),
      )
      await call(rpc, 'anvil_reorg', [depth, replacements.flat()])
    },
    ended,
    async stop() {
      stopped.abort()
      await anvil.stop()
    },
  }
}

/** Mines at a steady pace: a block that took long does not delay the ones after it. */
async function flow(mineOne: () => Promise<void>, blockTimeMs: number, signal: AbortSignal): Promise<void> {
  try {
    for (let due = performance.now(); ; due += blockTimeMs) {
      await delay(Math.max(0, due - performance.now()), undefined, { signal })
      await mineOne()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
