import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import { type BoundTable, bindTable } from './bind-table.ts'
import type { MessageTable } from './message-table.ts'
import { blockTable, logTable, receiptTable, transactionTable } from './message-tables.ts'

/** A message that is encoded, or only checked. */
export interface BlockMessage extends BoundTable {
  readonly isPublished: boolean
}

/** The messages of a block, with the fields that the project declares. */
export type BlockMessages = Readonly<Record<'Block' | 'Transaction' | 'Receipt' | 'Log', BlockMessage>>

/**
 * Without a project, all messages are published with all fields.
 *
 * @throws {UserError} `schema_mismatch`: the .proto declares a field that the tables do not have, or another type of one.
 */
export function bindBlockMessages(
  descriptor: BlockSource['descriptor'],
  { receipts, logs }: Pick<EvmSettings, 'receipts' | 'logs'>,
): BlockMessages {
  const bind = (name: keyof BlockMessages, table: MessageTable, isWanted = true): BlockMessage => {
    const declared = descriptor?.(name)
    return { ...bindTable(table, declared), isPublished: isWanted && (!descriptor || declared !== undefined) }
  }
  return {
    Block: bind('Block', blockTable),
    Transaction: bind('Transaction', transactionTable),
    Receipt: bind('Receipt', receiptTable, receipts),
    Log: bind('Log', logTable, logs),
  }
}
