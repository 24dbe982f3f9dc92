import { type FieldShapes, findMalformed, isData, isDataList } from '../quantity/field-shape.ts'
import type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from './rpc-transaction.ts'

/** The name of a published field of a transaction that cannot be mapped. Those that tell its place are not looked at. */
export function malformedTransactionField(transaction: RpcTransaction): string | undefined {
  const { accessList, blobVersionedHashes, authorizationList } = transaction
  const name = findMalformed(transaction, transactionShapes)
  if (name) return name
  if (accessList && !isListOf(accessList, isAccessListEntry)) return 'accessList'
  if (blobVersionedHashes && !isDataList(blobVersionedHashes)) return 'blobVersionedHashes'
  if (authorizationList && !isListOf(authorizationList, isAuthorization)) return 'authorizationList'
  return undefined
}

const fees = ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'] as const
const transactionShapes: FieldShapes<RpcTransaction> = {
  exact: ['chainId', ...fees, 'value', 'v', 'yParity', 'r', 's'],
  quantities: ['nonce', 'gas'],
  uint32s: ['type'],
  data: ['from', 'to', 'input'],
}
const authorizationShapes: FieldShapes<RpcAuthorization> = {
  exact: ['chainId', 'r', 's'],
  quantities: ['nonce'],
  uint32s: ['yParity', 'v'],
  data: ['address'],
}

function isListOf(value: unknown, isWellFormed: (each: object) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && isWellFormed(each))
}

function isAccessListEntry(entry: Partial<RpcAccessListEntry>): boolean {
  return isData(entry.address) && isDataList(entry.storageKeys)
}

function isAuthorization(authorization: object): boolean {
  return findMalformed(authorization as RpcAuthorization, authorizationShapes) === undefined
}
