import type { RpcBlock, RpcReceipt, RpcTransaction } from '@headrace/evm'
import { Wallet } from 'ethers'
import { type Chain, startChain } from '../chain/chain.ts'
import { call, quantity } from '../chain/json-rpc.ts'
import type { RecordedBlock } from './recording.ts'

/** Fixed times, so that every recording has the same blocks. */
const [genesisTime, secondsPerBlock] = [1_700_000_000, 12]

export interface RecordChainOptions {
  /** Transactions of each block, from number 1 on. Default: those of the recording of this repository. */
  readonly transactionCounts?: readonly number[]
  /** Default 31337. */
  readonly chainId?: number
}

/** Transactions of each block, without the rare kinds. */
const recordedCounts = [
  ...[6, 5, 0, 7, 6, 1, 8],
  ...[6, 100, 100, 0, 0, 300, 2],
  ...Array.from({ length: 28 }, (_, index) => (index * 5) % 13),
]

/**
 * Records the blocks of an anvil from number 1 on: transactions of the types 0 to 4, legacy ones without a chain id,
 * amounts and fees beyond 64 bits, contract creations, logs, failing transactions, empty blocks, and blocks of 100 and of
 * 300 transactions.
 */
export async function recordChain(options: RecordChainOptions = {}): Promise<readonly RecordedBlock[]> {
  const { transactionCounts = recordedCounts, chainId = 31337 } = options
  const chain = await startChain({ chainId, genesisTime, blobs: true, hardfork: 'osaka' })
  try {
    await call(chain.rpc, 'anvil_setBlockTimestampInterval', [secondsPerBlock])
    for (const [index, transactions] of transactionCounts.entries()) {
      if (index === largestAt) await sendLargest(chain, chainId)
      await chain.mine(1, { transactions })
    }
    return await Promise.all(transactionCounts.map((_, index) => read(chain, index + 1)))
  } finally {
    await chain.stop()
  }
}

const largestAt = 3

/** Sends an amount and a fee far beyond 64 bits. */
async function sendLargest({ rpc }: Chain, chainId: number): Promise<void> {
  const sender = new Wallet(`0x${'5a'.repeat(32)}`)
  await call(rpc, 'anvil_setBalance', [sender.address, quantity(2n ** 256n - 1n)])
  const fees = { maxFeePerGas: 2n ** 100n, maxPriorityFeePerGas: 1n }
  // Anvil rejects a cost of more than 128 bits as more than any balance.
  const transfer = { to: `0x${'b0'.repeat(20)}`, value: 2n ** 127n, gasLimit: 21_000 }
  const signed = await sender.signTransaction({ type: 2, chainId, nonce: 0, ...fees, ...transfer })
  await call(rpc, 'eth_sendRawTransaction', [signed])
}

async function read({ rpc }: Chain, number: number): Promise<RecordedBlock> {
  const block = await call<RpcBlock>(rpc, 'eth_getBlockByNumber', [quantity(number), true])
  const receipts = await call<RpcReceipt[]>(rpc, 'eth_getBlockReceipts', [block.hash])
  return { block: { ...block, transactions: block.transactions.map(withoutBlobs) }, receipts }
}

const sidecar = new Set(['blobs', 'commitments', 'proofs'])

/** Only anvil returns blobs with a transaction. */
function withoutBlobs(transaction: RpcTransaction): RpcTransaction {
  const fields = Object.entries(transaction).filter(([name]) => !sidecar.has(name))
  return Object.fromEntries(fields) as unknown as RpcTransaction
}
