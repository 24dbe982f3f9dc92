import type { ContractAnswers } from '../project/answers.ts'
import type { Questions } from '../prompts/questions.ts'
import type { ScaffoldOptions } from './scaffold-options.ts'

/** Options of the template `evm-events` alone. */
export const contractOptions = ['abi', 'events', 'contract', 'address'] as const

/** What was given of a contract, unchecked. */
export function givenContract({ abi, events, contract, address }: ScaffoldOptions): ContractAnswers {
  return {
    ...(abi !== undefined && { abi }),
    ...(events !== undefined && { events: [events] }),
    ...(contract !== undefined && { contract }),
    ...(address !== undefined && { address }),
  }
}

/**
 * Asks for what was not given of a contract. An empty answer leaves it out.
 *
 * @throws {UserError} `invalid_abi`, `scaffold_cancelled`
 */
export async function askContract(given: ContractAnswers, questions: Questions): Promise<ContractAnswers> {
  const { eventNames } = await import('../abi/index.ts')
  const ask = (message: string, check?: (answer: string) => unknown) =>
    questions.text({ message, default: '', ...(check && { check }) })
  const abi = given.abi ?? (await ask('ABI file (none: that of ERC-20)', (answer) => eventNames(answer || undefined)))
  const names = await eventNames(abi || undefined)
  const events = given.events ?? (await questions.choices({ message: 'Events', choices: names }))
  const contract = given.contract ?? (await ask('Name of the contract in the topics (none: as the ABI says)'))
  const address = given.address ?? (await ask('Address of the contract (none: set it later)'))
  return { ...(abi && { abi }), events, ...(contract && { contract }), ...(address && { address }) }
}
