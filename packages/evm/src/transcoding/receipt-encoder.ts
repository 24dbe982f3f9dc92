import { AnswerProblem } from './answer-problem.ts'
import { AnswerScanner, type Scanned } from './answer-scanner.ts'
import type { EncodedBlock, EncodedMessages } from './block-encoder.ts'
import type { BlockMessages } from './bound-table.ts'
import { encodeMessage, numberOf } from './encode-message.ts'
import { FieldWriter, type Range } from './field-writer.ts'
import { memberIndexes } from './message-table.ts'
import { logTable, receiptTable } from './message-tables.ts'
import { numberField, textField } from './shared-fields.ts'

export interface EncodedReceipts {
  readonly messages: EncodedMessages<'Receipt' | 'Log'>
  /** Of the last receipt. */
  readonly cumulativeGasUsed: string | undefined
  /** The receipts as JSON. */
  readonly json: Buffer
}

/** The block, as far as its receipts are checked and encoded with it. */
export type BlockOfReceipts = Pick<EncodedBlock, 'number' | 'hash' | 'hashes' | 'shared'>

const ofReceipt = memberIndexes(receiptTable, [
  ...(['blockHash', 'transactionHash', 'transactionIndex', 'logs', 'cumulativeGasUsed'] as const),
])
const ofLog = memberIndexes(logTable, ['logIndex'])

/** Throws an `AnswerProblem`, as `Encoders` says. */
export function createReceiptEncoder({ Receipt, Log }: BlockMessages) {
  const scanner = new AnswerScanner()
  const writer = new FieldWriter()

  return (json: Buffer, block: BlockOfReceipts): EncodedReceipts => {
    const { hashes } = block
    const subject = `the receipts of block ${block.number}`
    const list = scanner.list(json, receiptTable.members, subject)
    const count = scanner.end(list, 0)
    const counts = `there are ${count} for ${hashes.length} transactions`
    if (count < hashes.length) throw new AnswerProblem(subject, counts, 'lacking')
    if (count > hashes.length) throw new AnswerProblem(subject, counts, 'contradicting')
    writer.begin(json)
    const receipts: Range[] = []
    const logs: Range[] = []
    let logCount = 0
    let cumulativeGasUsed: string | undefined
    let receipt = scanner.start(list, 0)
    for (let index = 0; index < count; index++) {
      checkPlace(receipt, index, block, subject)
      const shared = [...block.shared, textField(hashes[index]!), numberField(index)]
      writer.reserve(scanner.size(receipt))
      encodeMessage(writer, scanner, Receipt, receipt, shared, index)
      if (Receipt.isPublished) receipts.push(writer.message())
      else writer.discard()
      const own = scanner.end(receipt, ofReceipt.logs)
      if (own < 0) throw scanner.invalid(`number ${index} has no list of logs`)
      let log = scanner.start(receipt, ofReceipt.logs)
      for (let last = logCount + own; logCount < last; logCount++) {
        if (numberOf(writer, scanner, log, ofLog.logIndex) !== logCount)
          throw scanner.invalid(`a log of number ${index} has another index`)
        writer.reserve(scanner.size(log))
        encodeMessage(writer, scanner, Log, log, shared, logCount)
        if (Log.isPublished) logs.push(writer.message())
        else writer.discard()
        log = scanner.next(log)
      }
      cumulativeGasUsed = scanner.text(receipt, ofReceipt.cumulativeGasUsed)
      receipt = scanner.next(receipt)
    }
    const encoded = writer.messages([...receipts, ...logs])
    return {
      messages: {
        ...(Receipt.isPublished && { Receipt: encoded.slice(0, receipts.length) }),
        ...(Log.isPublished && { Log: encoded.slice(receipts.length) }),
      },
      ...{ cumulativeGasUsed, json },
    }
  }

  function checkPlace(receipt: Scanned, index: number, { hash, hashes }: BlockOfReceipts, subject: string): void {
    if (scanner.text(receipt, ofReceipt.blockHash) !== hash)
      throw scanner.invalid(`number ${index} is of another block`)
    if (scanner.text(receipt, ofReceipt.transactionHash) !== hashes[index])
      throw new AnswerProblem(subject, `number ${index} is of another transaction`, 'contradicting')
    if (numberOf(writer, scanner, receipt, ofReceipt.transactionIndex) !== index)
      throw scanner.invalid(`number ${index} has another index`)
  }
}
