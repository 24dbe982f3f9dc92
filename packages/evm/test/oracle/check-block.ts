import { type BlockName, checkHeader } from '../../src/block/check-block.ts'
import type { RpcBlock, RpcHeader } from '../../src/block/rpc-block.ts'
import { InvalidAnswerError } from '../../src/errors.ts'
import { isHash, significantDigits, toNumber } from '../../src/quantity/quantity.ts'
import type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from '../../src/transaction/rpc-transaction.ts'
import { emptyRoot } from '../../src/transcoding/block-encoder.ts'
import { type FieldShapes, findMalformed, isData, isDataList } from './field-shape.ts'

/** Checks also that each transaction belongs to this block and is in its place, but not that none is missing. */
export function checkBlock(answer: unknown, asked: BlockName): RpcBlock {
  const block = checkHeader(answer, asked) as RpcBlock
  const malformed = malformedBlockField(block)
  if (malformed) throw invalid(asked, `it has no valid ${malformed}`)
  if (!Array.isArray(block.transactions)) throw invalid(asked, 'it has no list of transactions')
  for (const [index, transaction] of block.transactions.entries()) checkTransaction(transaction, index, block, asked)
  if (contradictsRoot(block)) throw invalid(asked, 'it holds transactions under the root of none')
  return block
}

function checkTransaction(transaction: RpcTransaction, index: number, block: RpcBlock, asked: BlockName): void {
  if (!isHash(transaction?.hash)) throw invalid(asked, `transaction ${index} has no valid hash`)
  if (transaction.blockHash !== block.hash) throw invalid(asked, `transaction ${index} is of another block`)
  if (toNumber(transaction.transactionIndex) !== index) throw invalid(asked, `transaction ${index} has another index`)
  const malformed = malformedTransactionField(transaction)
  if (malformed) throw invalid(asked, `transaction ${index} has no valid ${malformed}`)
}

/** Unsigned transactions that the chain itself adds (Bor) are not part of the root. */
function contradictsRoot({ transactionsRoot, transactions }: RpcBlock): boolean {
  return transactionsRoot === emptyRoot && transactions.some(({ r }) => r && significantDigits(r) > 0)
}

function invalid(asked: BlockName, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`block ${asked}`, difference)
}

function malformedBlockField(block: RpcHeader): string | undefined {
  return findMalformed(block, blockShapes) ?? (Number(block.timestamp) > lastSecond ? 'timestamp' : undefined)
}

/** Limit of `google.protobuf.Timestamp`. */
const lastSecond = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

const roots = ['stateRoot', 'transactionsRoot', 'receiptsRoot', 'withdrawalsRoot', 'parentBeaconBlockRoot'] as const
const blobGas = ['blobGasUsed', 'excessBlobGas'] as const
const blockShapes: FieldShapes<RpcHeader> = {
  exact: ['difficulty', 'baseFeePerGas'],
  quantities: ['timestamp', 'gasLimit', 'gasUsed', 'nonce', 'size', ...blobGas],
  data: ['sha3Uncles', 'miner', ...roots, 'logsBloom', 'extraData', 'mixHash', 'requestsHash'],
}

function malformedTransactionField(transaction: RpcTransaction): string | undefined {
  const { accessList, blobVersionedHashes, authorizationList, yParity } = transaction
  const name = findMalformed(transaction, transactionShapes)
  if (name) return name
  // Mapping does not look at it if there is a `v`.
  if (!isAbsent(yParity) && !isHexText(yParity)) return 'v'
  if (!isAbsent(accessList) && !isListOf(accessList, isAccessListEntry)) return 'accessList'
  if (!isAbsent(blobVersionedHashes) && !isDataList(blobVersionedHashes)) return 'blobVersionedHashes'
  if (!isAbsent(authorizationList) && !isListOf(authorizationList, isAuthorization)) return 'authorizationList'
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

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function isListOf(value: unknown, isWellFormed: (each: object) => boolean): boolean {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  return Array.isArray(value) && value.every((each) => isObject(each) && isWellFormed(each))
}

function isAccessListEntry(entry: Partial<RpcAccessListEntry>): boolean {
  return isData(entry.address) && isDataList(entry.storageKeys)
}

function isHexText(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
}

function isAuthorization(authorization: object): boolean {
  const { v, ...published } = authorization as RpcAuthorization
  if (!isAbsent(v) && !isHexText(v)) return false
  // `v` is published, and limited to 32 bits, only without `yParity`.
  const checked = isAbsent(published.yParity) ? { ...published, v } : published
  return findMalformed(checked, authorizationShapes) === undefined
}
