import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { protocolViolation } from './child-errors.ts'
import type { ChildUnit } from './process-message.ts'

/** @throws {UserError} `child_protocol` */
export function toUnit(unit: ChildUnit, names: readonly string[]): Unit<Schema, unknown> {
  const { number, checkpoint, revertTo, final, timeMs } = unit
  return {
    checkpoint: parseCheckpoint(checkpoint, 'checkpoint', number),
    messages: messagesByName(unit, names),
    ...(revertTo !== undefined && { revertTo: parseCheckpoint(revertTo, 'revert_to', number) }),
    ...(final !== undefined && { final: parseCheckpoint(final, 'final', number) }),
    ...(timeMs !== undefined && { time: new Date(timeMs) }),
  }
}

/** Messages of different types go to different topics, so only the order within a type matters. */
function messagesByName({ number, messages }: ChildUnit, names: readonly string[]): Record<string, Uint8Array[]> {
  const byName = new Map<string, Uint8Array[]>()
  for (const { type, value } of messages) {
    const name = names[type]
    if (name === undefined) {
      const known = names.map((known, place) => `${place} ${known}`).join(', ')
      throw protocolViolation(`unit ${number} holds a message of type ${type}; there are: ${known}`)
    }
    const list = byName.get(name)
    if (list) list.push(value)
    else byName.set(name, [value])
  }
  return Object.fromEntries(byName)
}

/** @throws {UserError} `child_protocol`: it is no JSON, or holds an integer that JavaScript would round. */
function parseCheckpoint(json: string, field: 'checkpoint' | 'revert_to' | 'final', unit: number): unknown {
  try {
    return JSON.parse(json, refuseInexact as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    const shown = json.length > 100 ? `${json.slice(0, 100)}…` : json
    throw protocolViolation(
      `${field} of unit ${unit} is ${JSON.stringify(shown)}, which is no JSON that can be kept: ${(error as Error).message}`,
    )
  }
}

/** JavaScript would round large integers, and a rounded position is another position. */
function refuseInexact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (/^-?\d+$/.test(context.source ?? ''))
    throw new RangeError(`${context.source} is beyond 2^53; write it as a string`)
  return value
}
