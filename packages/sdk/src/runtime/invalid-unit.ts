import { UserError } from '@headrace/queue'

/** What the source yielded cannot be published: `problem` says why, without a full stop. */
export function invalidUnit(problem: string): UserError {
  return new UserError('invalid_unit', `The source yielded a unit that cannot be published: ${problem}.`)
}
