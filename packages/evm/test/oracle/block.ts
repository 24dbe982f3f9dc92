import type { RpcBlock } from '../../src/block/rpc-block.ts'
import { toBytes, toUint64 } from '../../src/quantity/quantity.ts'
import { toExact, toOptionalBytes, toOptionalUint64 } from './optional-quantity.ts'

/** The message `Block`. Quantities above 2^64 − 1 are saturated; `…Exact` fields have the value, big-endian. */
export interface Block {
  readonly ts: Timestamp
  readonly Hash: string
  readonly Difficulty: bigint
  readonly Number: bigint
  readonly GasLimit: bigint
  readonly GasUsed: bigint
  readonly Nonce: bigint
  readonly ParentHash: string
  readonly Miner: Uint8Array
  readonly BaseFee: bigint | undefined
  readonly TransactionCount: number
  readonly StateRoot: Uint8Array
  readonly TransactionsRoot: Uint8Array
  readonly ReceiptsRoot: Uint8Array
  readonly UnclesHash: Uint8Array
  readonly LogsBloom: Uint8Array
  readonly ExtraData: Uint8Array
  readonly MixHash: Uint8Array
  readonly Size: bigint
  readonly WithdrawalsRoot: Uint8Array | undefined
  readonly BlobGasUsed: bigint | undefined
  readonly ExcessBlobGas: bigint | undefined
  readonly ParentBeaconBlockRoot: Uint8Array | undefined
  readonly RequestsHash: Uint8Array | undefined
  readonly DifficultyExact: Uint8Array | undefined
  readonly BaseFeeExact: Uint8Array | undefined
}

/** @throws {InvalidAnswerError} a field is not hex. */
export function toBlock(block: RpcBlock): Block {
  return {
    ts: { seconds: toUint64(block.timestamp), nanos: 0 },
    Hash: block.hash,
    Difficulty: toUint64(block.difficulty),
    Number: toUint64(block.number),
    GasLimit: toUint64(block.gasLimit),
    GasUsed: toUint64(block.gasUsed),
    Nonce: toUint64(block.nonce),
    ParentHash: block.parentHash,
    Miner: toBytes(block.miner),
    BaseFee: toOptionalUint64(block.baseFeePerGas),
    TransactionCount: block.transactions.length,
    StateRoot: toBytes(block.stateRoot),
    TransactionsRoot: toBytes(block.transactionsRoot),
    ReceiptsRoot: toBytes(block.receiptsRoot),
    UnclesHash: toBytes(block.sha3Uncles),
    LogsBloom: toBytes(block.logsBloom),
    ExtraData: toBytes(block.extraData),
    MixHash: toBytes(block.mixHash),
    Size: toUint64(block.size),
    WithdrawalsRoot: toOptionalBytes(block.withdrawalsRoot),
    BlobGasUsed: toOptionalUint64(block.blobGasUsed),
    ExcessBlobGas: toOptionalUint64(block.excessBlobGas),
    ParentBeaconBlockRoot: toOptionalBytes(block.parentBeaconBlockRoot),
    RequestsHash: toOptionalBytes(block.requestsHash),
    DifficultyExact: toExact(block.difficulty),
    BaseFeeExact: toExact(block.baseFeePerGas),
  }
}

export interface Timestamp {
  readonly seconds: bigint
  readonly nanos: number
}
