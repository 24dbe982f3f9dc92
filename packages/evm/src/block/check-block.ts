import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import { isHash, significantDigits, toNumber } from '../quantity/quantity.ts'
import { emptyRoot } from '../transcoding/block-encoder.ts'
import type { RpcHeader } from './rpc-block.ts'

export type BlockName = number | 'earliest' | 'latest' | 'finalized'

/** The requested block, with well-formed hashes. */
export function checkHeader(answer: unknown, asked: BlockName): RpcHeader {
  if (answer === null) throw new BlockUnavailableError(asked)
  if (typeof answer !== 'object') throw invalid(asked, 'it is not an object')
  const header = answer as RpcHeader
  if (!isHash(header.hash)) throw invalid(asked, 'it has no valid hash')
  if (!isHash(header.parentHash)) throw invalid(asked, 'it has no valid parentHash')
  if (typeof header.number !== 'string') throw invalid(asked, 'it has no number')
  if (typeof header.timestamp !== 'string') throw invalid(asked, 'it has no timestamp')
  if (typeof asked === 'number' && toNumber(header.number) !== asked) {
    throw invalid(asked, `it is block ${toNumber(header.number)}`)
  }
  return header
}

/** Chains without such tries use zero. */
export function isRootOfNone(transactionsRoot: string): boolean {
  return transactionsRoot === emptyRoot || significantDigits(transactionsRoot) === 0
}

function invalid(asked: BlockName, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`block ${asked}`, difference)
}
