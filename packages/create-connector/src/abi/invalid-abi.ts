import { UserError } from '@headrace/queue'

/** What is in a place where an ABI was to be is none. */
export function invalidAbi(source: string, problem: string): UserError {
  return new UserError(
    'invalid_abi',
    `${source} holds no ABI that can be used: ${problem}. --abi takes the JSON that a compiler or a block explorer gives: ` +
      'a list of functions and events, or an object that has it as "abi".',
  )
}
