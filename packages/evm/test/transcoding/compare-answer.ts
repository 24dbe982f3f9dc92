import { ContradictedBlockError, InvalidAnswerError } from '../../src/errors.ts'
import type { EncodedBlock } from '../../src/transcoding/block-encoder.ts'
import { type HexMessages, inHex, oracleMessages } from '../oracle/oracle-messages.ts'
import { encodeBlock, encodeReceipts } from './encode-answer.ts'

/**
 * How an answer is encoded, compared with the oracle. `refused`: by both. `refused_twice`: only by the encoder, because
 * an object has a member twice.
 */
export type Comparison = 'equal' | 'refused' | 'refused_twice'

/** @throws {Error} they differ. */
export function compareBlock(json: Buffer, number: number): Comparison {
  return compare(
    json,
    () => encodeBlock(json, number).messages,
    (answer) => oracleMessages(answer, number),
  )
}

export interface Compared {
  readonly block: EncodedBlock
  /** As a node sends it. */
  readonly rpcBlock: unknown
}

export function encodedBlock(json: Buffer, number: number): Compared {
  return { block: encodeBlock(json, number), rpcBlock: JSON.parse(json.toString()) }
}

/** @throws {Error} they differ. */
export function compareReceipts(json: Buffer, { block, rpcBlock }: Compared): Comparison {
  return compare(
    json,
    () => encodeReceipts(json, block).messages,
    (answer) => {
      const { Receipt, Log } = oracleMessages(rpcBlock, block.number, answer)
      return { Receipt: Receipt!, Log: Log! }
    },
  )
}

function compare(
  json: Buffer,
  encode: () => Readonly<Record<string, readonly Uint8Array[]>>,
  oracle: (answer: unknown) => HexMessages,
): Comparison {
  const found = attempt(() => inHex(encode()), [InvalidAnswerError, ContradictedBlockError])
  const expected = attempt(() => oracle(JSON.parse(json.toString())), refusals)
  if (found instanceof Error) {
    if (expected instanceof Error) return 'refused'
    if (hasMemberTwice(json.toString())) return 'refused_twice'
    throw difference(json, `is refused, but not by the oracle: ${found.message}`)
  }
  if (expected instanceof Error) throw difference(json, `is encoded, but the oracle refuses it: ${expected.message}`)
  if (JSON.stringify(found) === JSON.stringify(expected)) return 'equal'
  throw difference(json, `is encoded as ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
}

const refusals = [InvalidAnswerError, ContradictedBlockError, SyntaxError]

/** A refusal, or what was returned. Other errors are thrown. */
function attempt<T>(run: () => T, refusals: readonly (abstract new (...args: never[]) => Error)[]): T | Error {
  try {
    return run()
  } catch (error) {
    if (refusals.some((kind) => error instanceof kind)) return error as Error
    throw error
  }
}

function difference(json: Buffer, problem: string): Error {
  return new Error(`The answer ${problem}\n${json.toString()}`)
}

function hasMemberTwice(text: string): boolean {
  const names = text.match(/"(?:[^"\\]|\\.)*"\s*:/gs) ?? []
  return names.length > countMembers(JSON.parse(text))
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((count: number, each) => count + countMembers(each), 0)
  return Array.isArray(value) ? inside : inside + Object.keys(value).length
}
