import { setTimeout as delay } from 'node:timers/promises'
import { startAnvil } from './anvil.ts'
import { call } from './json-rpc.ts'
import { createTraffic } from './traffic.ts'

export interface ChainOptions {
  /** Mines a block with transactions at this interval, in ms. Default: only `mine` does. */
  readonly blockTimeMs?: number
  /** Transactions of a block, without the rare kinds. Default 6. */
  readonly transactionsPerBlock?: number
  /** The same seed gives the same transactions. Default 1. */
  readonly seed?: number
  /** Whether to send blob transactions, of which the first takes 3 s. Default: only with `blockTimeMs`. */
  readonly blobs?: boolean
  /** Default 31337. */
  readonly chainId?: number
  /** The newest active fork. Default `prague`. */
  readonly hardfork?: string
  /** Blocks of an epoch. The `finalized` block is two epochs behind the head. Default 32. */
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
   * Replaces the newest `depth` blocks by as many others (`anvil_reorg`), with `transactions` each, default 0.
   * Do not use it with `blockTimeMs`.
   */
  reorganise(depth: number, options?: { transactions?: number }): Promise<void>
  /** Rejects if the node or its traffic ends unexpectedly; resolves after `stop`. */
  readonly ended: Promise<void>
  /** Resolves when the node's process has ended. */
  stop(): Promise<void>
}

/** Starts a local chain with anvil. It has only the genesis block, number 0. */
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
      else reject(new Error(`anvil ended unexpectedly (${signal ?? `exit code ${code}`}).`))
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
      await traffic.revertTo(Number(await call(rpc, 'eth_blockNumber')) - depth)
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

/** Mines at a fixed rate: a slow block does not delay later ones. */
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
