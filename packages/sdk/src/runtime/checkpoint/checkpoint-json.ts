import { invalidUnit } from '../invalid-unit.ts'

const checkpointLimit = 64 * 1024

/**
 * Writes an author's checkpoint as JSON text. `name` is the member of the unit that holds it.
 *
 * @throws {UserError} `invalid_unit`: something in it would be lost or changed on the way, or it is too large.
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

/** Finds what JSON cannot hold and says where it is. Members that are `undefined` are left out, as JSON does. */
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
