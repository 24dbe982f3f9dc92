import { type AnvilOptions, startAnvil } from './anvil.ts'
import { call } from './json-rpc.ts'
import { createTraffic, type TrafficOptions } from './traffic.ts'

export interface ChainOptions extends AnvilOptions, TrafficOptions {}

/** A real local chain. */
export interface Chain {
  /** URL of its JSON-RPC endpoint. */
  readonly rpc: string
  readonly pid: number
  /** Mines `blocks` blocks, each with `transactions`, default 6, and some of rare kinds. Resolves when they are mined. */
  mine(blocks: number, options?: { transactions?: number }): Promise<void>
  /** Replaces the newest `depth` blocks by as many others (`anvil_reorg`), with `transactions` each, default 0. */
  reorganise(depth: number, options?: { transactions?: number }): Promise<void>
  /** Rejects if the node ends unexpectedly; resolves after `stop`. */
  readonly ended: Promise<void>
  /** Resolves when the node's process has ended. */
  stop(): Promise<void>
}

/** Starts a local chain with anvil. It has only the genesis block, number 0. */
export async function startChain(options: ChainOptions = {}): Promise<Chain> {
  const anvil = await startAnvil(options)
  const { rpc, process: node } = anvil
  let isStopped = false

  const traffic = await createTraffic(rpc, options).catch(async (error) => {
    await anvil.stop()
    throw error
  })
  const ended = new Promise<void>((resolve, reject) => {
    node.once('exit', (code, signal) => {
      if (isStopped) resolve()
      else reject(new Error(`anvil ended unexpectedly (${signal ?? `exit code ${code}`}).`))
    })
  })
  ended.catch(() => {})

  return {
    rpc,
    pid: node.pid!,
    async mine(blocks, { transactions = 6 } = {}) {
      for (let mined = 0; mined < blocks; mined++) {
        await traffic.send(transactions)
        await call(rpc, 'evm_mine')
      }
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
      isStopped = true
      await anvil.stop()
    },
  }
}
