import { Block, Transaction } from '../../../examples/evm/src/generated/evm.ts'
import { MessageWriter } from '../../../packages/sdk/src/wire/message-writer.ts'
import type { Encoders } from './encoders.ts'

/** Generated code with one writer for all messages, as the runtime calls it. */
export function ours(): Encoders {
  const writer = new MessageWriter()
  return {
    Block(message) {
      Block.encode(message, writer.codecWriter)
      return writer.take()
    },
    Transaction(message) {
      Transaction.encode(message, writer.codecWriter)
      return writer.take()
    },
    reset: () => writer.reset(),
  }
}
