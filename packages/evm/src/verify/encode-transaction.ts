import { RLP } from '@ethereumjs/rlp'
import { UnverifiableBlockError } from '../errors.ts'
import { toBigEndian, toBytes, toNumber } from '../quantity/quantity.ts'
import type { RpcAuthorization, RpcTransaction } from '../transaction/rpc-transaction.ts'

/**
 * The consensus encoding of a signed transaction: RLP, or type and payload (EIP-2718) of types 1 to 4 (EIP-2930, 1559,
 * 4844, 7702).
 *
 * @throws {UnverifiableBlockError} of another type only its own chain knows the encoding.
 */
export function encodeTransaction(transaction: RpcTransaction): Uint8Array {
  const { gasPrice, chainId, v, yParity, r, s } = transaction
  const type = toNumber(transaction.type)
  const { gas, to, value, input } = transaction
  const call = [toBigEndian(gas), toBytes(to), toBigEndian(value), toBytes(input)]
  const [nonce, price] = [toBigEndian(transaction.nonce), toBigEndian(gasPrice)]
  const fees = [transaction.maxPriorityFeePerGas, transaction.maxFeePerGas].map(toBigEndian)
  const accesses = (transaction.accessList ?? []).map((entry) => [
    toBytes(entry.address),
    entry.storageKeys.map(toBytes),
  ])
  const signature = [toBigEndian(yParity ?? v), toBigEndian(r), toBigEndian(s)]
  const chain = toBigEndian(chainId)
  switch (type) {
    case 0:
      return RLP.encode([nonce, price, ...call, toBigEndian(v), toBigEndian(r), toBigEndian(s)])
    case 1:
      return typed(type, [chain, nonce, price, ...call, accesses, ...signature])
    case 2:
      return typed(type, [chain, nonce, ...fees, ...call, accesses, ...signature])
    case 3: {
      const blobs = [toBigEndian(transaction.maxFeePerBlobGas), (transaction.blobVersionedHashes ?? []).map(toBytes)]
      return typed(type, [chain, nonce, ...fees, ...call, accesses, ...blobs, ...signature])
    }
    case 4: {
      const authorizations = (transaction.authorizationList ?? []).map(authorization)
      return typed(type, [chain, nonce, ...fees, ...call, accesses, authorizations, ...signature])
    }
    default:
      throw new UnverifiableBlockError(`transaction ${transaction.hash} has type ${type}`)
  }
}

function authorization({ chainId, address, nonce, yParity, v, r, s }: RpcAuthorization): Uint8Array[] {
  const quantities = [nonce, yParity ?? v, r, s].map(toBigEndian)
  return [toBigEndian(chainId), toBytes(address), ...quantities]
}

function typed(type: number, fields: Parameters<typeof RLP.encode>[0]): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), RLP.encode(fields)])
}
