import type { Block, Transaction } from '../../../examples/evm/src/generated/evm.ts'
import { type RpcBlock, type RpcTransaction, toBlock, toTransaction } from '../../../packages/evm/src/index.ts'
import { createRandom, type Random } from '../../random.ts'

/** Messages by their type. */
export interface Workload {
  readonly Block: readonly Block[]
  readonly Transaction: readonly Transaction[]
}

/**
 * Blocks like those of the main chain, always the same, mapped as a connector maps them. The messages of each type take
 * about as many bytes as the runtime encodes between two commits.
 */
export function createWorkload(): Workload {
  const random = createRandom(1)
  const blocks = Array.from({ length: blockCount }, (_, index) => rpcBlock(random, firstNumber + index))
  return {
    Block: Array.from({ length: 100 }, () => blocks.map(toBlock)).flat(),
    Transaction: blocks.flatMap((block) => {
      const message = toBlock(block)
      return block.transactions.map((transaction) => toTransaction(transaction, message))
    }),
  }
}

const blockCount = 6
const transactionCount = 157
const firstNumber = 21_000_000

function rpcBlock(random: Random, number: number): RpcBlock {
  const hash = random.hex(32)
  return {
    number: quantity(number),
    hash,
    parentHash: random.hex(32),
    timestamp: quantity(1_730_000_000 + number * 12),
    sha3Uncles: random.hex(32),
    miner: random.hex(20),
    stateRoot: random.hex(32),
    transactionsRoot: random.hex(32),
    receiptsRoot: random.hex(32),
    logsBloom: random.hex(256),
    difficulty: '0x0',
    gasLimit: quantity(30_000_000),
    gasUsed: quantity(random.integer(30_000_000)),
    extraData: random.hex(24),
    mixHash: random.hex(32),
    nonce: '0x0000000000000000',
    size: quantity(100_000),
    baseFeePerGas: quantity(10_000_000_000),
    withdrawalsRoot: random.hex(32),
    blobGasUsed: quantity(393_216),
    excessBlobGas: quantity(79_429_632),
    parentBeaconBlockRoot: random.hex(32),
    transactions: Array.from({ length: transactionCount }, (_, index) => rpcTransaction(random, hash, index)),
  }
}

/** A transfer, a call of a token or a call with more data, of the old kind or with dynamic fees. */
function rpcTransaction(random: Random, blockHash: string, index: number): RpcTransaction {
  const dynamicFees = { type: '0x2', maxFeePerGas: quantity(30_000_000_000), maxPriorityFeePerGas: quantity(10 ** 9) }
  return {
    hash: random.hex(32),
    blockHash,
    transactionIndex: quantity(index),
    from: random.hex(20),
    to: random.hex(20),
    chainId: '0x1',
    nonce: quantity(random.integer(5_000)),
    gas: quantity(21_000 + random.integer(300_000)),
    gasPrice: quantity(10_000_000_000 + random.integer(2 ** 31)),
    value: random.hex(random.pick([1, 8, 9])),
    input: random.hex(random.pick([0, 68, 68, 228])),
    accessList: [],
    v: '0x1',
    r: random.hex(32),
    s: random.hex(32),
    ...random.pick([{ type: '0x0' }, dynamicFees, dynamicFees]),
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
