import { UserError } from '@headrace/queue'

const checkpointLimit = 64 * 1024

/**
 * Serializes an author's checkpoint.
 *
 * @throws {UserError} `invalid_unit`: it is too large, or JSON would change it.
 */
export function checkpointJson(checkpoint: unknown, name: 'checkpoint' | 'final' | 'revertTo'): string {
  const problem = findProblem(checkpoint, name, 0)
  if (problem) {
    throw invalidUnit(
      `${problem}. Use objects, lists, strings, finite numbers, booleans and null, e.g. a string for a bigint`,
    )
  }
  const json = JSON.stringify(checkpoint)
  const bytes = Buffer.byteLength(json)
  if (bytes > checkpointLimit) {
    throw invalidUnit(`${name} has ${bytes} bytes as JSON, and ${checkpointLimit} are allowed`)
  }
  return json
}

/** Finds a value that JSON cannot hold. It omits members that are `undefined`. */
function findProblem(value: unknown, path: string, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is ${value}`
  if (typeof value !== 'object') return `${path} is ${value === undefined ? 'undefined' : `a ${typeof value}`}`
  if (depth > 100) return `${path} is nested too deeply, or holds itself`
  if (Array.isArray(value)) return findMemberProblem(Object.entries(value), path, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return `${path} is of class ${value.constructor?.name}`
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return findMemberProblem(members, path, depth)
}

function findMemberProblem(members: [string, unknown][], path: string, depth: number): string | undefined {
  for (const [name, member] of members) {
    const problem = findProblem(member, `${path}.${name}`, depth + 1)
    if (problem) return problem
  }
  return undefined
}

export function invalidUnit(problem: string): UserError {
  return new UserError('invalid_unit', `The source yielded a unit that cannot be published: ${problem}.`)
}
