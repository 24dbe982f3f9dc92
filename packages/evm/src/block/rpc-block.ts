import type { Hex } from '../quantity/quantity.ts'
import type { RpcTransaction } from '../transaction/rpc-transaction.ts'

/** Chains add and omit fields. */
export interface RpcHeader {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly sha3Uncles?: Hex
  readonly miner?: Hex
  readonly stateRoot?: Hex
  readonly transactionsRoot?: Hex
  readonly receiptsRoot?: Hex
  readonly logsBloom?: Hex
  readonly difficulty?: Hex
  readonly gasLimit?: Hex
  readonly gasUsed?: Hex
  readonly extraData?: Hex
  readonly mixHash?: Hex
  readonly nonce?: Hex
  readonly size?: Hex
  readonly baseFeePerGas?: Hex
  readonly withdrawalsRoot?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hex
  readonly requestsHash?: Hex
}

export interface RpcBlock extends RpcHeader {
  readonly transactions: readonly RpcTransaction[]
}
