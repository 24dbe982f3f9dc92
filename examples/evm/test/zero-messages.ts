import type { Block, Transaction } from '../src/generated/evm.ts'

const none = new Uint8Array()

/** A block whose fields are all zero or empty. */
export const zeroBlock: Block = {
  ts: undefined,
  Hash: '',
  Difficulty: 0n,
  Number: 0n,
  GasLimit: 0n,
  GasUsed: 0n,
  Nonce: 0n,
  ParentHash: '',
  Miner: none,
  TransactionCount: 0,
  StateRoot: none,
  TransactionsRoot: none,
  ReceiptsRoot: none,
  UnclesHash: none,
  LogsBloom: none,
  ExtraData: none,
  MixHash: none,
  Size: 0n,
}

/** A transaction whose fields are all zero or empty. */
export const zeroTransaction: Transaction = {
  ts: undefined,
  From: none,
  Hash: '',
  Size: 0,
  AccountNonce: 0n,
  Price: 0n,
  GasLimit: 0n,
  Recipient: none,
  Amount: 0n,
  Payload: none,
  V: 0n,
  R: 0n,
  S: 0n,
  BlockNumber: 0n,
  BlockHash: '',
  TransactionIndex: 0,
  Type: 0,
  AccessList: [],
  BlobVersionedHashes: [],
  AuthorizationList: [],
}
