import type { Call, Fault } from '../../testbed/chain/fake-node.ts'
import { quantity } from '../../testbed/chain/json-rpc.ts'
import type { RpcBlock } from '../src/index.ts'

export interface OtherBranch {
  /** The last common block. */
  readonly fork: number
  /** Number of blocks by which this branch is ahead. Default 1. */
  readonly ahead?: number
  /** Hash of `fork`. Required if this branch is more than one block ahead. */
  readonly forkHash?: string
}

/** Faults of a node that is on a branch of its own, and always ahead. */
export function servesOtherBranch(branch: OtherBranch): (call: Call) => Fault | undefined {
  const { fork, ahead = 1 } = branch
  return ({ method, params: [name, ...rest] }) => {
    if (!isAboutBlock(method) || name === 'finalized') return undefined
    if (name !== 'latest' && Number(name) <= fork) return undefined
    if (isCount(method)) return { params: ['latest'], result: () => quantity(noTransactions.transactions.length) }
    // The block above the head is made from one below it.
    const below = name === 'latest' ? name : quantity(Number(name) - ahead)
    return { params: [below, ...rest], result: (block) => block && raised(block as RpcBlock, branch) }
  }
}

/** Faults of a node that has stopped at a block. */
export function stopsAt(head: number): (call: Call) => Fault | undefined {
  return ({ method, params: [name, ...rest] }) => {
    if (!isAboutBlock(method)) return undefined
    if (name === 'latest') return { params: [quantity(head), ...rest] }
    return Number(name) > head ? { result: () => null } : undefined
  }
}

/** Faults of a node that omits the last transactions of blocks, `times` times, but counts them. */
export function omitsLast(transactions: number, times: number): (call: Call) => Fault | undefined {
  let left = times
  return ({ method, params: [, isWhole] }) => {
    if (method !== 'eth_getBlockByNumber' || isWhole !== true || left-- <= 0) return undefined
    return { result: (block) => block && shortened(block as RpcBlock, transactions) }
  }
}

function shortened(block: RpcBlock, by: number): RpcBlock {
  return { ...block, transactions: block.transactions.slice(0, -by) }
}

function isAboutBlock(method: string): boolean {
  return method === 'eth_getBlockByNumber' || isCount(method)
}

function isCount(method: string): boolean {
  return method === 'eth_getBlockTransactionCountByNumber'
}

function raised(block: RpcBlock, { fork, ahead = 1, forkHash = block.hash }: OtherBranch): RpcBlock {
  const number = Number(block.number) + ahead
  const parentHash = number > fork + 1 ? otherHash(block.parentHash) : forkHash
  return { ...block, number: quantity(number), parentHash, hash: otherHash(block.hash), ...noTransactions }
}

const noTransactions = {
  transactions: [],
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
}

function otherHash(hash: string): string {
  return `0xdeadbeef${hash.slice(10)}`
}
