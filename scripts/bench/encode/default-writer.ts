import { Block, Transaction } from '../../../examples/evm/src/generated/evm.ts'
import type { Encoders } from './encoders.ts'

/** The same generated code as ts-proto means it to be called: with a new `BinaryWriter` for each message. */
export function defaultWriter(): Encoders {
  return {
    Block: (message) => Block.encode(message).finish(),
    Transaction: (message) => Transaction.encode(message).finish(),
    reset() {},
  }
}
