import { protocolViolation } from './child-errors.ts'

/**
 * Parses a checkpoint that a child has written. `field` is the field of its unit that holds it.
 *
 * @throws {UserError} `child_protocol`: it is no JSON, or holds an integer that would be changed on the way.
 */
export function parseCheckpoint(json: string, field: 'checkpoint' | 'revert_to' | 'final', unit: number): unknown {
  try {
    return JSON.parse(json, refuseInexact as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    const shown = json.length > 100 ? `${json.slice(0, 100)}…` : json
    throw protocolViolation(
      `${field} of unit ${unit} is ${JSON.stringify(shown)}, which is no JSON that can be kept: ${(error as Error).message}`,
    )
  }
}

/** JSON has integers of any size and JavaScript does not: one that is rounded would be another position. */
function refuseInexact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (/^-?\d+$/.test(context.source ?? ''))
    throw new RangeError(`${context.source} is beyond 2^53; write it as a string`)
  return value
}
