import { UserError } from '@headrace/queue'

/**
 * How the contract is called in the names of topics and files.
 *
 * @param asked - Left out: the name that the ABI has, as near as possible.
 * @throws {UserError} `invalid_contract`
 */
export function chooseContractName(asked: string | undefined, ofAbi: string | undefined): string {
  const name = asked ?? nearest(ofAbi ?? '')
  if (shape.test(name) && name.toLowerCase() !== taken) return name
  throw new UserError(
    'invalid_contract',
    `"${name}" can be no name of a contract in topics and files. --contract takes a letter and then letters, digits, "-" ` +
      `and "_", and not ${taken}.`,
  )
}

const shape = /^[A-Za-z][A-Za-z0-9_-]*$/
/** The name of another generated file. */
const taken = 'schema'

function nearest(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^[^A-Za-z]+|[_-]+$/g, '') || 'contract'
}
