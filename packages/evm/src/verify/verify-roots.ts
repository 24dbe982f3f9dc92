import { RLP } from '@ethereumjs/rlp'
import type { RpcBlock, RpcHeader } from '../block/rpc-block.ts'
import { InvalidAnswerError, UnverifiableBlockError } from '../errors.ts'
import { type Hex, toBigEndian, toBigInt, toBytes, toNumber } from '../quantity/quantity.ts'
import type { RpcAuthorization, RpcTransaction } from '../transaction/rpc-transaction.ts'
import { keccakHex, trieRoot } from './trie-root.ts'

/**
 * Checks hashes, roots, the price that each transaction pays, and that it has no fields of other types. Not checked are
 * senders, the size of the block, and the chain id of a legacy transaction without one in its signature.
 */
export function verifyRoots(block: RpcBlock): void {
  const encoded = block.transactions.map(encodeTransaction)
  for (const [index, transaction] of block.transactions.entries()) {
    if (keccakHex(encoded[index]!) !== transaction.hash)
      throw invalid(block, `the hash of transaction ${index} is not that of its content`)
    const difference = unhashedDifference(transaction, block)
    if (difference) throw invalid(block, `transaction ${index} ${difference}`)
  }
  if (trieRoot(encoded) !== block.transactionsRoot)
    throw invalid(block, `the root of its transactions is not the one in its header. ${chainHint}`)
  if (headerHash(block) !== block.hash) throw invalid(block, `its hash is not that of its header. ${chainHint}`)
}

const chainHint = 'If the chain computes roots or headers in its own way, set "verify" to "links"'

export function headerHash(header: RpcHeader): string {
  return keccakHex(encodeHeader(header))
}

/** Fields of later forks are present from the first block of the fork. */
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

/** EIP-2718, with types 1 to 4 of EIP-2930, 1559, 4844, 7702. */
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

function unhashedDifference(transaction: RpcTransaction, block: RpcBlock): string | undefined {
  const { v, yParity, gasPrice } = transaction
  const type = toNumber(transaction.type)
  const foreign = foreignField(transaction, type)
  if (foreign) return `has the field ${foreign}, which its type does not allow`
  if (type === 0) return hasOtherChain(transaction) ? 'has another chain id than its signature' : undefined
  if (isThere(v) && isThere(yParity) && toBigInt(v) !== toBigInt(yParity))
    return 'has a v that differs from its yParity'
  if (type > 1 && toBigInt(gasPrice) !== effectivePrice(transaction, block))
    return 'has a gasPrice other than the price that it pays'
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

/** EIP-155: `v` is 35 or 36 plus twice the chain id, or 27 or 28 without one. */
function hasOtherChain({ v, chainId }: RpcTransaction): boolean {
  const parity = toBigInt(v)
  return isThere(chainId) && parity >= 35n && toBigInt(chainId) !== (parity - 35n) / 2n
}

/** EIP-1559: base fee plus tip, up to the maximum. */
function effectivePrice({ maxFeePerGas, maxPriorityFeePerGas }: RpcTransaction, { baseFeePerGas }: RpcBlock): bigint {
  const [cap, wanted] = [toBigInt(maxFeePerGas), toBigInt(baseFeePerGas) + toBigInt(maxPriorityFeePerGas)]
  return wanted < cap ? wanted : cap
}

function isThere(hex: Hex): hex is string {
  return hex !== undefined && hex !== null
}
