import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { protocolViolation } from './child-errors.ts'
import { parseCheckpoint } from './json-checkpoint.ts'
import type { ChildUnit } from './process-message.ts'

/**
 * Makes a unit of what a child has written. `names` are the messages that it may publish.
 *
 * @throws {UserError} `child_protocol`
 */
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

/** Messages of different types go to different topics, so only the order within a type counts. */
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
