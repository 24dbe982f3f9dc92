import type { Hex } from '../quantity/quantity.ts'

/** Chains add and omit fields. */
export interface RpcTransaction {
  readonly hash: string
  readonly blockHash: string
  readonly transactionIndex: string
  readonly from: string
  readonly type?: Hex
  readonly chainId?: Hex
  readonly nonce?: Hex
  readonly gas?: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly maxFeePerBlobGas?: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly input?: Hex
  readonly accessList?: readonly RpcAccessListEntry[] | null
  readonly blobVersionedHashes?: readonly string[] | null
  readonly authorizationList?: readonly RpcAuthorization[] | null
  readonly v?: Hex
  readonly yParity?: Hex
  readonly r?: Hex
  readonly s?: Hex
}

export interface RpcAccessListEntry {
  readonly address: string
  readonly storageKeys: readonly string[]
}

export interface RpcAuthorization {
  readonly chainId: string
  readonly address: string
  readonly nonce: string
  readonly yParity?: Hex
  /** `yParity` of some nodes. */
  readonly v?: Hex
  readonly r: string
  readonly s: string
}
