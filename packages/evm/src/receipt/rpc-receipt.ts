import type { Hex } from '../quantity/quantity.ts'

/** Chains add and omit fields. */
export interface RpcReceipt {
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly logs: readonly RpcLog[]
  readonly from?: Hex
  readonly to?: Hex
  readonly contractAddress?: Hex
  readonly type?: Hex
  /** Since Byzantium (EIP-658): 1 for success. */
  readonly status?: Hex
  /** Only before the Byzantium fork. */
  readonly root?: Hex
  readonly gasUsed?: Hex
  readonly cumulativeGasUsed?: Hex
  readonly effectiveGasPrice?: Hex
  readonly blobGasUsed?: Hex
  readonly blobGasPrice?: Hex
  readonly logsBloom?: Hex
}

export interface RpcLog {
  readonly logIndex: string
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}
