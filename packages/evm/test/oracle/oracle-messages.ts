import { Block, Log, Receipt, Transaction } from '../../../../examples/evm/src/generated/evm.ts'
import { toBlock } from './block.ts'
import { checkBlock } from './check-block.ts'
import { checkReceipts } from './check-receipts.ts'
import { toLogs } from './log.ts'
import { toReceipt } from './receipt.ts'
import { toTransaction } from './transaction.ts'

/** Encoded messages in hexadecimal, by name. */
export type HexMessages = Readonly<Record<string, readonly string[]>>

/**
 * The messages of a parsed block and, if they are given, of its parsed receipts, made from objects and encoded by
 * generated code.
 *
 * @param asked Number of the block.
 * @throws {InvalidAnswerError | BlockUnavailableError | ContradictedBlockError} as the source refuses them.
 */
export function oracleMessages(answer: unknown, asked: number, receipts?: unknown): HexMessages {
  const block = checkBlock(answer, asked)
  const message = toBlock(block)
  const ofBlock = {
    Block: [hexOf(Block.encode(message))],
    Transaction: block.transactions.map((each) => hexOf(Transaction.encode(toTransaction(each, message)))),
  }
  if (receipts === undefined) return ofBlock
  const checked = checkReceipts(receipts, block)
  return {
    ...ofBlock,
    Receipt: checked.map((each) => hexOf(Receipt.encode(toReceipt(each, message)))),
    Log: checked.flatMap((each) => toLogs(each, message)).map((each) => hexOf(Log.encode(each))),
  }
}

export function inHex(messages: Readonly<Record<string, readonly Uint8Array[]>>): HexMessages {
  const entries = Object.entries(messages)
  return Object.fromEntries(entries.map(([name, encoded]) => [name, encoded.map(toHex)]))
}

function hexOf(written: { finish(): Uint8Array }): string {
  return toHex(written.finish())
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
