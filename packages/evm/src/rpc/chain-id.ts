import { InvalidAnswerError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'

/**
 * The chain's id (EIP-155) in an answer to `eth_chainId`.
 *
 * @throws {InvalidAnswerError} also where there is none: it must not be taken for that of a chain 0.
 */
export function readChainId(answer: unknown): number {
  if (typeof answer !== 'string') throw new InvalidAnswerError('the chain id', `it is ${JSON.stringify(answer)}`)
  return toNumber(answer)
}
