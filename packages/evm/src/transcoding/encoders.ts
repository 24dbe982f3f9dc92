import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'
import { AnswerProblem } from './answer-problem.ts'
import { createBlockEncoder, type EncodedBlock } from './block-encoder.ts'
import { bindMessages, type DeclaredMessages } from './bound-table.ts'
import { type BlockOfReceipts, createReceiptEncoder, type EncodedReceipts } from './receipt-encoder.ts'

/** Encodes results of a node, which are JSON. */
export interface Encoders {
  /**
   * @throws {InvalidAnswerError} it is not the block that was asked for, or a member does not have the form of its field.
   */
  block(json: Buffer, asked: number): EncodedBlock | Promise<EncodedBlock>
  /**
   * Encodes the receipts of a block, and their logs.
   *
   * @throws {MissingReceiptsError}
   * @throws {InvalidAnswerError} one is of another block, or a member does not have the form of its field.
   * @throws {ContradictedBlockError} they belong to other or more transactions than the block has.
   */
  receipts(json: Buffer, block: BlockOfReceipts): EncodedReceipts | Promise<EncodedReceipts>
}

/** There are fewer receipts than transactions. */
export class MissingReceiptsError extends InvalidAnswerError {}

export function createEncoders(declared: DeclaredMessages): Encoders {
  const messages = bindMessages(declared)
  const [encodeBlock, encodeReceipts] = [createBlockEncoder(messages), createReceiptEncoder(messages)]
  return {
    block: (json, asked) => withErrors(() => encodeBlock(json, asked)),
    receipts: (json, block) => withErrors(() => encodeReceipts(json, block)),
  }
}

/** Throws the error of the package for an `AnswerProblem`. */
export function withErrors<T>(encode: () => T): T {
  try {
    return encode()
  } catch (error) {
    throw error instanceof AnswerProblem ? toError(error) : error
  }
}

export function toError({ subject, difference, kind }: AnswerProblem): Error {
  return new errorsOfKinds[kind](subject, difference)
}

const errorsOfKinds = {
  invalid: InvalidAnswerError,
  lacking: MissingReceiptsError,
  contradicting: ContradictedBlockError,
}
