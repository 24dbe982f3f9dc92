import { toBigEndian, toBytes, toNumber, toUint64 } from '../../src/quantity/quantity.ts'
import type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from '../../src/transaction/rpc-transaction.ts'
import type { Block, Timestamp } from './block.ts'
import { toExact, toOptionalUint64 } from './optional-quantity.ts'
import { transactionSize } from './transaction-size.ts'

/** The message `Transaction`. Quantities above 2^64 − 1 are saturated; `…Exact` fields have the value, big-endian. */
export interface Transaction {
  readonly ts: Timestamp
  readonly From: Uint8Array
  readonly Hash: string
  readonly Size: number
  readonly AccountNonce: bigint
  readonly Price: bigint
  readonly GasLimit: bigint
  readonly Recipient: Uint8Array
  readonly Amount: bigint
  readonly Payload: Uint8Array
  readonly V: bigint
  readonly R: bigint
  readonly S: bigint
  readonly BlockNumber: bigint
  readonly BlockHash: string
  readonly TransactionIndex: number
  readonly Type: number
  readonly ChainId: bigint | undefined
  readonly MaxFeePerGas: bigint | undefined
  readonly MaxPriorityFeePerGas: bigint | undefined
  readonly AccessList: AccessListEntry[]
  readonly MaxFeePerBlobGas: bigint | undefined
  readonly BlobVersionedHashes: Uint8Array[]
  readonly AuthorizationList: Authorization[]
  readonly PriceExact: Uint8Array | undefined
  readonly AmountExact: Uint8Array | undefined
  readonly VExact: Uint8Array | undefined
  readonly RExact: Uint8Array | undefined
  readonly SExact: Uint8Array | undefined
  readonly ChainIdExact: Uint8Array | undefined
  readonly MaxFeePerGasExact: Uint8Array | undefined
  readonly MaxPriorityFeePerGasExact: Uint8Array | undefined
  readonly MaxFeePerBlobGasExact: Uint8Array | undefined
}

export interface AccessListEntry {
  readonly Address: Uint8Array
  readonly StorageKeys: Uint8Array[]
}

export interface Authorization {
  readonly ChainId: Uint8Array
  readonly Address: Uint8Array
  readonly Nonce: bigint
  readonly YParity: number
  readonly R: Uint8Array
  readonly S: Uint8Array
}

/**
 * Time, number and hash of its block are those of `block`. Size is 0 for types that Ethereum does not have.
 * @throws {InvalidAnswerError} a field is not hex.
 */
export function toTransaction(transaction: RpcTransaction, block: Block): Transaction {
  const { gasPrice, value, r, s, chainId, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction
  // Some nodes have the parity of typed transactions in `yParity` only.
  const v = transaction.v ?? transaction.yParity
  return {
    ts: block.ts,
    From: toBytes(transaction.from),
    Hash: transaction.hash,
    Size: transactionSize(transaction),
    AccountNonce: toUint64(transaction.nonce),
    Price: toUint64(gasPrice),
    GasLimit: toUint64(transaction.gas),
    Recipient: toBytes(transaction.to),
    Amount: toUint64(value),
    Payload: toBytes(transaction.input),
    V: toUint64(v),
    R: toUint64(r),
    S: toUint64(s),
    BlockNumber: block.Number,
    BlockHash: block.Hash,
    TransactionIndex: toNumber(transaction.transactionIndex),
    Type: toNumber(transaction.type),
    ChainId: toOptionalUint64(chainId),
    MaxFeePerGas: toOptionalUint64(maxFeePerGas),
    MaxPriorityFeePerGas: toOptionalUint64(maxPriorityFeePerGas),
    AccessList: transaction.accessList?.map(toAccessListEntry) ?? [],
    MaxFeePerBlobGas: toOptionalUint64(maxFeePerBlobGas),
    BlobVersionedHashes: transaction.blobVersionedHashes?.map(toBytes) ?? [],
    AuthorizationList: transaction.authorizationList?.map(toAuthorization) ?? [],
    PriceExact: toExact(gasPrice),
    AmountExact: toExact(value),
    VExact: toExact(v),
    RExact: toExact(r),
    SExact: toExact(s),
    ChainIdExact: toExact(chainId),
    MaxFeePerGasExact: toExact(maxFeePerGas),
    MaxPriorityFeePerGasExact: toExact(maxPriorityFeePerGas),
    MaxFeePerBlobGasExact: toExact(maxFeePerBlobGas),
  }
}

function toAccessListEntry({ address, storageKeys }: RpcAccessListEntry): AccessListEntry {
  return { Address: toBytes(address), StorageKeys: storageKeys.map(toBytes) }
}

function toAuthorization({ chainId, address, nonce, yParity, v, r, s }: RpcAuthorization): Authorization {
  return {
    ChainId: toBigEndian(chainId),
    Address: toBytes(address),
    Nonce: toUint64(nonce),
    YParity: toNumber(yParity ?? v),
    R: toBigEndian(r),
    S: toBigEndian(s),
  }
}
