import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { RpcBlock, RpcHeader } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
import { type Hex, toBigEndian, toBytes } from '../quantity/quantity.ts'
import { encodeTransaction } from './encode-transaction.ts'
import { trieRoot } from './trie-root.ts'
import { unhashedDifference } from './unhashed-difference.ts'

/**
 * Checks that a block's hash is that of its header, the root of its transactions that of those it holds, and the hash of
 * each transaction its own; and what follows from that: the price a transaction pays, and that it has no fields of another
 * type.
 *
 * What no hash covers is published as the node tells it: the senders, who follow from the signatures, the size of the
 * block, and the chain id of a legacy transaction whose signature names none.
 *
 * @throws {InvalidAnswerError}
 * @throws {UnverifiableBlockError} the chain has transactions of its own kinds.
 */
export function verifyRoots(block: RpcBlock): void {
  const encoded = block.transactions.map(encodeTransaction)
  for (const [index, transaction] of block.transactions.entries()) {
    if (toHex(keccak_256(encoded[index]!)) !== transaction.hash)
      throw invalid(block, `transaction ${index} does not have its hash`)
    const difference = unhashedDifference(transaction, block)
    if (difference) throw invalid(block, `transaction ${index} ${difference}`)
  }
  if (trieRoot(encoded) !== block.transactionsRoot)
    throw invalid(block, `its transactions do not have the root that its header names. ${ofItsOwn}`)
  if (headerHash(block) !== block.hash) throw invalid(block, `its header does not have its hash. ${ofItsOwn}`)
}

const ofItsOwn = 'Of a chain with roots or headers of its own set "verify" to links'

export function headerHash(header: RpcHeader): string {
  return toHex(keccak_256(encodeHeader(header)))
}

/** RLP of a header. What later forks have added is there from the first block of the fork on. */
function encodeHeader(header: RpcHeader): Uint8Array {
  const added: readonly (readonly [Hex, (hex: Hex) => Uint8Array])[] = [
    [header.baseFeePerGas, toBigEndian],
    [header.withdrawalsRoot, toBytes],
    [header.blobGasUsed, toBigEndian],
    [header.excessBlobGas, toBigEndian],
    [header.parentBeaconBlockRoot, toBytes],
    [header.requestsHash, toBytes],
  ]
  return RLP.encode([
    ...[header.parentHash, header.sha3Uncles, header.miner].map(toBytes),
    ...[header.stateRoot, header.transactionsRoot, header.receiptsRoot, header.logsBloom].map(toBytes),
    ...[header.difficulty, header.number, header.gasLimit, header.gasUsed, header.timestamp].map(toBigEndian),
    ...[header.extraData, header.mixHash, header.nonce].map(toBytes),
    ...added.filter(([hex]) => hex !== undefined && hex !== null).map(([hex, encode]) => encode(hex)),
  ])
}

function invalid({ number }: RpcHeader, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`block ${Number(number)}`, difference)
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
