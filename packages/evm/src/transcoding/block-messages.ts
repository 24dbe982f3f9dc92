import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import type { DeclaredMessages, MessageName } from './bound-table.ts'
import { declaredFields } from './declared-fields.ts'
import { tables } from './message-tables.ts'

/**
 * Without a project, all messages are published with all fields.
 *
 * @throws {UserError} `schema_mismatch`: the .proto declares a field that the tables do not have, or another type of one.
 */
export function declareBlockMessages(
  descriptor: BlockSource['descriptor'],
  { receipts, logs }: Pick<EvmSettings, 'receipts' | 'logs'>,
): DeclaredMessages {
  const declare = (name: MessageName, isWanted: boolean) => {
    const message = descriptor?.(name)
    const isPublished = isWanted && (!descriptor || message !== undefined)
    return { isPublished, fields: message && declaredFields(tables[name], message) }
  }
  return {
    Block: declare('Block', true),
    Transaction: declare('Transaction', true),
    Receipt: declare('Receipt', receipts),
    Log: declare('Log', logs),
  }
}
