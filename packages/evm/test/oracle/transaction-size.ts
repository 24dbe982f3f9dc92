import { type Hex, significantDigits, toNumber } from '../../src/quantity/quantity.ts'
import type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from '../../src/transaction/rpc-transaction.ts'

/**
 * Length in bytes of the consensus encoding (EIP-2718), without the blobs of a blob transaction. 0 for types other than
 * 0 to 4 (EIP-2930, 1559, 4844, 7702).
 */
export function transactionSize(transaction: RpcTransaction): number {
  switch (toNumber(transaction.type)) {
    case 0:
      return listLength(quantityLength(transaction.gasPrice) + quantityLength(transaction.v) + shared(transaction))
    case 1:
      return 1 + listLength(quantityLength(transaction.gasPrice) + typed(transaction))
    case 2:
      return 1 + listLength(dynamicFees(transaction) + typed(transaction))
    case 3:
      return 1 + listLength(dynamicFees(transaction) + blobs(transaction) + typed(transaction))
    case 4:
      return 1 + listLength(dynamicFees(transaction) + authorizations(transaction) + typed(transaction))
    default:
      return 0
  }
}

function shared({ nonce, gas, to, value, input, r, s }: RpcTransaction): number {
  return (
    quantityLength(nonce) +
    quantityLength(gas) +
    dataLength(to) +
    quantityLength(value) +
    dataLength(input) +
    quantityLength(r) +
    quantityLength(s)
  )
}

function typed(transaction: RpcTransaction): number {
  const { chainId, accessList, yParity, v } = transaction
  return quantityLength(chainId) + accessListLength(accessList) + quantityLength(yParity ?? v) + shared(transaction)
}

function dynamicFees({ maxPriorityFeePerGas, maxFeePerGas }: RpcTransaction): number {
  return quantityLength(maxPriorityFeePerGas) + quantityLength(maxFeePerGas)
}

function blobs({ maxFeePerBlobGas, blobVersionedHashes }: RpcTransaction): number {
  return quantityLength(maxFeePerBlobGas) + dataListLength(blobVersionedHashes ?? [])
}

function authorizations({ authorizationList }: RpcTransaction): number {
  let payload = 0
  for (const each of authorizationList ?? []) payload += authorizationLength(each)
  return listLength(payload)
}

function authorizationLength({ chainId, address, nonce, yParity, v, r, s }: RpcAuthorization): number {
  return listLength(
    quantityLength(chainId) +
      dataLength(address) +
      quantityLength(nonce) +
      quantityLength(yParity ?? v) +
      quantityLength(r) +
      quantityLength(s),
  )
}

function accessListLength(entries: readonly RpcAccessListEntry[] | null | undefined): number {
  let payload = 0
  for (const { address, storageKeys } of entries ?? []) {
    payload += listLength(dataLength(address) + dataListLength(storageKeys))
  }
  return listLength(payload)
}

function dataListLength(items: readonly string[]): number {
  let payload = 0
  for (const item of items) payload += dataLength(item)
  return listLength(payload)
}

function quantityLength(hex: Hex): number {
  if (hex === undefined || hex === null) return 1
  const digits = significantDigits(hex)
  if (digits > 2) return stringLength((digits + 1) >> 1)
  return digits === 2 && hex.charCodeAt(hex.length - 2) >= digitEight ? 2 : 1
}

function dataLength(hex: Hex): number {
  if (hex === undefined || hex === null) return 1
  const bytes = (hex.length - 2) >> 1
  return bytes === 1 && hex.charCodeAt(2) < digitEight ? 1 : stringLength(bytes)
}

function listLength(payload: number): number {
  return prefixLength(payload) + payload
}

const digitEight = 56 // bytes below 0x80 are encoded as themselves

function stringLength(bytes: number): number {
  return prefixLength(bytes) + bytes
}

function prefixLength(payload: number): number {
  if (payload < 56) return 1
  let length = 1
  for (let rest = payload; rest > 0; rest = Math.floor(rest / 256)) length++
  return length
}
