import { RLP } from '@ethereumjs/rlp'
import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidAnswerError, UnverifiableBlockError } from '../errors.ts'
import { type Hex, toBigEndian, toBytes, toNumber, toUint64 } from '../quantity/quantity.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import { trieRoot } from './trie-root.ts'

/** Does not check the address of a new contract and the cost of blobs. */
export function verifyReceipts(receipts: readonly RpcReceipt[], block: RpcBlock): void {
  let before = 0n
  for (const [index, receipt] of receipts.entries()) {
    const { type, from, to, gasPrice } = block.transactions[index]!
    const cumulative = toUint64(receipt.cumulativeGasUsed)
    if (toUint64(receipt.gasUsed) !== cumulative - before)
      throw invalidReceipts(block, `number ${index} has a gasUsed that does not match its cumulativeGasUsed`)
    if (receipt.effectiveGasPrice && !isSame(receipt.effectiveGasPrice, gasPrice))
      throw invalidReceipts(block, `number ${index} has another gas price than its transaction`)
    if (toNumber(receipt.type) !== toNumber(type) || !isSame(receipt.from, from) || !isSame(receipt.to, to))
      throw invalidReceipts(block, `number ${index} has another type, sender or recipient than its transaction`)
    before = cumulative
  }
  if (trieRoot(receipts.map(encodeReceipt)) !== block.receiptsRoot)
    throw invalidReceipts(block, 'their root is not the one in the header')
}

function isSame(one: Hex, other: Hex): boolean {
  return (one ?? '').toLowerCase() === (other ?? '').toLowerCase()
}

/** EIP-2718. Before Byzantium a receipt has a state root instead of the status (EIP-658). */
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

function invalidReceipts({ number }: RpcBlock, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`the receipts of block ${toNumber(number)}`, difference)
}
