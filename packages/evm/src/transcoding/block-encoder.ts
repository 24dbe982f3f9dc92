import type { EncodedMessage } from '@headrace/sdk'
import { AnswerScanner, type Scanned } from './answer-scanner.ts'
import type { BlockMessages } from './bound-table.ts'
import { encodeMessage, numberOf } from './encode-message.ts'
import { FieldWriter, type Range } from './field-writer.ts'
import { memberIndexes } from './message-table.ts'
import { blockTable, transactionTable } from './message-tables.ts'
import { lastSecond, numberField, textField, timeField } from './shared-fields.ts'

/** By name, those that are published. */
export type EncodedMessages<Name extends string> = { readonly [N in Name]?: readonly EncodedMessage[] }

export interface EncodedBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly transactionsRoot: string | undefined
  readonly gasUsed: string | undefined
  /** Of the transactions, in order. */
  readonly hashes: readonly string[]
  readonly messages: EncodedMessages<'Block' | 'Transaction'>
  /** Fields of the block that other messages share, as `encodeMessage` takes them. */
  readonly shared: readonly Uint8Array[]
  /** The block as JSON. */
  readonly json: Buffer
}

/** Yellow paper, 4.4.3. */
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

const hashShape = /^0x[0-9a-f]{64}$/
const hashLength = '0x'.length + 64

const ofBlock = memberIndexes(blockTable, [
  ...(['hash', 'parentHash', 'number', 'timestamp', 'transactions', 'transactionsRoot', 'gasUsed'] as const),
])
const ofTransaction = memberIndexes(transactionTable, ['hash', 'blockHash', 'transactionIndex', 'r'])

/** Throws an `AnswerProblem`, as `Encoders` says. */
export function createBlockEncoder({ Block, Transaction }: BlockMessages) {
  const scanner = new AnswerScanner()
  const writer = new FieldWriter()

  return (json: Buffer, asked: number): EncodedBlock => {
    const block = scanner.object(json, blockTable.members, `block ${asked}`)
    writer.begin(json)
    const number = numberOf(writer, scanner, block, ofBlock.number)
    if (number !== asked) throw scanner.invalid(number < 0 ? 'it has no valid number' : `it is block ${number}`)
    const hash = hashOf(block, ofBlock.hash, 'it has no valid hash')
    const parentHash = hashOf(block, ofBlock.parentHash, 'it has no valid parentHash')
    const shared = encodeShared(block, number, hash)
    const ranges: Range[] = []
    writer.reserve(scanner.size(block))
    encodeMessage(writer, scanner, Block, block, shared)
    if (Block.isPublished) ranges.push(writer.message())
    else writer.discard()
    const transactionsRoot = scanner.text(block, ofBlock.transactionsRoot)
    const hashes: string[] = []
    const count = scanner.end(block, ofBlock.transactions)
    if (count < 0) throw scanner.invalid('it has no list of transactions')
    let transaction = scanner.start(block, ofBlock.transactions)
    for (let index = 0; index < count; index++) {
      checkPlace(transaction, index, scanner.start(block, ofBlock.hash))
      if (transactionsRoot === emptyRoot && isSigned(transaction))
        throw scanner.invalid('it holds transactions under the root of none')
      writer.reserve(scanner.size(transaction))
      encodeMessage(writer, scanner, Transaction, transaction, shared, index)
      if (Transaction.isPublished) ranges.push(writer.message())
      else writer.discard()
      hashes.push(scanner.text(transaction, ofTransaction.hash)!)
      transaction = scanner.next(transaction)
    }
    const encoded = writer.messages(ranges)
    return {
      ...{ number, hash, parentHash, transactionsRoot, hashes, shared, json },
      gasUsed: scanner.text(block, ofBlock.gasUsed),
      messages: {
        ...(Block.isPublished && { Block: encoded.splice(0, 1) }),
        ...(Transaction.isPublished && { Transaction: encoded }),
      },
    }
  }

  function hashOf(object: Scanned, member: number, problem: string): string {
    const hash = scanner.text(object, member)
    if (hash === undefined || !hashShape.test(hash)) throw scanner.invalid(problem)
    return hash
  }

  function encodeShared(block: Scanned, number: number, hash: string): Uint8Array[] {
    const seconds = numberOf(writer, scanner, block, ofBlock.timestamp)
    const isAbsent = scanner.end(block, ofBlock.timestamp) < 0
    if (isAbsent || seconds < 0 || seconds > lastSecond) throw scanner.invalid('it has no valid timestamp')
    return [timeField(seconds), numberField(number), textField(hash)]
  }

  /** @param hash Where the hash of the block begins in the answer. */
  function checkPlace(transaction: Scanned, index: number, hash: number): void {
    if (!scanner.isSame(transaction, ofTransaction.blockHash, hash, hashLength))
      throw scanner.invalid(`transaction ${index} is of another block`)
    if (numberOf(writer, scanner, transaction, ofTransaction.transactionIndex) !== index)
      throw scanner.invalid(`transaction ${index} has another index`)
  }

  /** Unsigned transactions that the chain itself adds (Bor) are not part of the root. */
  function isSigned(transaction: Scanned): boolean {
    return numberOf(writer, scanner, transaction, ofTransaction.r) !== 0
  }
}
