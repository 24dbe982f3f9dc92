import { toBytes, toNumber } from '../../src/quantity/quantity.ts'
import type { RpcReceipt } from '../../src/receipt/rpc-receipt.ts'
import type { Block, Timestamp } from './block.ts'

/** The message `Log`. */
export interface Log {
  readonly ts: Timestamp
  readonly TransactionHash: string
  readonly TransactionIndex: number
  readonly BlockNumber: bigint
  readonly BlockHash: string
  /** Index among the logs of the block. */
  readonly LogIndex: number
  readonly Address: Uint8Array
  readonly Topics: Uint8Array[]
  readonly Data: Uint8Array
}

/**
 * In order.
 * @throws {InvalidAnswerError} a field is not hex.
 */
export function toLogs(receipt: RpcReceipt, block: Block): Log[] {
  const TransactionIndex = toNumber(receipt.transactionIndex)
  return receipt.logs.map(({ logIndex, address, topics, data }) => ({
    ts: block.ts,
    TransactionHash: receipt.transactionHash,
    TransactionIndex,
    BlockNumber: block.Number,
    BlockHash: block.Hash,
    LogIndex: toNumber(logIndex),
    Address: toBytes(address),
    Topics: topics.map(toBytes),
    Data: toBytes(data),
  }))
}
