import { toBytes, toNumber, toUint64 } from '../../src/quantity/quantity.ts'
import type { RpcReceipt } from '../../src/receipt/rpc-receipt.ts'
import type { Block, Timestamp } from './block.ts'
import { toExact, toOptionalBytes, toOptionalUint64 } from './optional-quantity.ts'

/** The message `Receipt`. Quantities above 2^64 − 1 are saturated; `…Exact` fields have the value, big-endian. */
export interface Receipt {
  readonly ts: Timestamp
  readonly TransactionHash: string
  readonly TransactionIndex: number
  readonly BlockNumber: bigint
  readonly BlockHash: string
  readonly From: Uint8Array
  readonly To: Uint8Array
  readonly ContractAddress: Uint8Array | undefined
  readonly Type: number
  readonly Status: number | undefined
  readonly Root: Uint8Array | undefined
  readonly GasUsed: bigint
  readonly CumulativeGasUsed: bigint
  readonly EffectiveGasPrice: bigint | undefined
  readonly LogsBloom: Uint8Array
  readonly LogCount: number
  readonly BlobGasUsed: bigint | undefined
  readonly BlobGasPrice: bigint | undefined
  readonly EffectiveGasPriceExact: Uint8Array | undefined
  readonly BlobGasPriceExact: Uint8Array | undefined
}

/**
 * Time, number and hash of its block are those of `block`.
 * @throws {InvalidAnswerError} a field is not hex.
 */
export function toReceipt(receipt: RpcReceipt, block: Block): Receipt {
  const { status, effectiveGasPrice, blobGasPrice } = receipt
  return {
    ts: block.ts,
    TransactionHash: receipt.transactionHash,
    TransactionIndex: toNumber(receipt.transactionIndex),
    BlockNumber: block.Number,
    BlockHash: block.Hash,
    From: toBytes(receipt.from),
    To: toBytes(receipt.to),
    ContractAddress: toOptionalBytes(receipt.contractAddress),
    Type: toNumber(receipt.type),
    Status: status === undefined || status === null ? undefined : toNumber(status),
    Root: toOptionalBytes(receipt.root),
    GasUsed: toUint64(receipt.gasUsed),
    CumulativeGasUsed: toUint64(receipt.cumulativeGasUsed),
    EffectiveGasPrice: toOptionalUint64(effectiveGasPrice),
    LogsBloom: toBytes(receipt.logsBloom),
    LogCount: receipt.logs.length,
    BlobGasUsed: toOptionalUint64(receipt.blobGasUsed),
    BlobGasPrice: toOptionalUint64(blobGasPrice),
    EffectiveGasPriceExact: toExact(effectiveGasPrice),
    BlobGasPriceExact: toExact(blobGasPrice),
  }
}
