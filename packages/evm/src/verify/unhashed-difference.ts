import type { RpcBlock } from '../block/rpc-block.ts'
import { type Hex, toBigInt, toNumber } from '../quantity/quantity.ts'
import type { RpcTransaction } from '../transaction/rpc-transaction.ts'

/** What a field of a transaction that its hash does not cover has other than what the hash covers, if anything. */
export function unhashedDifference(transaction: RpcTransaction, block: RpcBlock): string | undefined {
  const { v, yParity, gasPrice } = transaction
  const type = toNumber(transaction.type)
  const foreign = foreignField(transaction, type)
  if (foreign) return `has ${foreign}, which its type has not`
  if (type === 0) return hasOtherChain(transaction) ? 'names another chain than its signature' : undefined
  if (isThere(v) && isThere(yParity) && toBigInt(v) !== toBigInt(yParity)) return 'has a v that is not its yParity'
  if (type > 1 && toBigInt(gasPrice) !== effectivePrice(transaction, block))
    return 'has a gasPrice that it does not pay'
  return undefined
}

const feeFields = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const

function foreignField(transaction: RpcTransaction, type: number): keyof RpcTransaction | undefined {
  const { accessList, blobVersionedHashes, authorizationList } = transaction
  if (type === 0 && accessList?.length) return 'accessList'
  if (type !== 3 && blobVersionedHashes?.length) return 'blobVersionedHashes'
  if (type !== 4 && authorizationList?.length) return 'authorizationList'
  if (type !== 3 && isThere(transaction.maxFeePerBlobGas)) return 'maxFeePerBlobGas'
  return type < 2 ? feeFields.find((name) => isThere(transaction[name])) : undefined
}

/** EIP-155: `v` is 35 or 36 and twice the id of the chain, or 27 or 28 where the signature names none. */
function hasOtherChain({ v, chainId }: RpcTransaction): boolean {
  const parity = toBigInt(v)
  return isThere(chainId) && parity >= 35n && toBigInt(chainId) !== (parity - 35n) / 2n
}

/** EIP-1559: the base fee and the tip, up to the cap. */
function effectivePrice({ maxFeePerGas, maxPriorityFeePerGas }: RpcTransaction, { baseFeePerGas }: RpcBlock): bigint {
  const [cap, wanted] = [toBigInt(maxFeePerGas), toBigInt(baseFeePerGas) + toBigInt(maxPriorityFeePerGas)]
  return wanted < cap ? wanted : cap
}

function isThere(hex: Hex): hex is string {
  return hex !== undefined && hex !== null
}
