import { RLP } from '@ethereumjs/rlp'
import { UnverifiableBlockError } from '../errors.ts'
import { toBigEndian, toBytes, toNumber } from '../quantity/quantity.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'

/**
 * The consensus encoding of a receipt: RLP, after the type (EIP-2718) of types 1 to 4. Before Byzantium it holds a state
 * root where later ones have the status (EIP-658).
 *
 * @throws {UnverifiableBlockError} of another type only its own chain knows the encoding.
 */
export function encodeReceipt(receipt: RpcReceipt): Uint8Array {
  const { root, status, cumulativeGasUsed, logsBloom, logs } = receipt
  const type = toNumber(receipt.type)
  if (type > newestType) throw new UnverifiableBlockError(`the receipt of ${receipt.transactionHash} has type ${type}`)
  const encoded = RLP.encode([
    status === undefined || status === null ? toBytes(root) : toBigEndian(status),
    toBigEndian(cumulativeGasUsed),
    toBytes(logsBloom),
    logs.map(({ address, topics, data }) => [toBytes(address), topics.map(toBytes), toBytes(data)]),
  ])
  return type === 0 ? encoded : Buffer.concat([Uint8Array.of(type), encoded])
}

const newestType = 4
