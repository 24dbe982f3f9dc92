import type { Schema } from '../../connector/schema.ts'
import type { Unit } from '../../connector/unit.ts'
import { invalidUnit } from '../invalid-unit.ts'
import type { MessageTopic } from '../start/message-topic.ts'

/** One list of messages of a unit, and where it goes. */
export interface MessageList {
  readonly name: string
  readonly topic: MessageTopic
  readonly messages: readonly unknown[]
}

/**
 * Checks what a source has yielded, which its compiler may not have, and gives its messages in order.
 *
 * @throws {UserError} `invalid_unit`
 */
export function checkUnit(unit: Unit<Schema, unknown>, topics: ReadonlyMap<string, MessageTopic>): MessageList[] {
  if (typeof unit !== 'object' || unit === null)
    throw invalidUnit(`it is ${unit === null ? 'null' : `a ${typeof unit}`}`)
  if (unit.checkpoint === undefined) throw invalidUnit('it has no checkpoint')
  if (unit.time !== undefined && !(unit.time instanceof Date && unit.time.getTime() >= 0)) {
    throw invalidUnit('its time is not a Date from 1970 on')
  }
  const { messages = {} } = unit
  if (typeof messages !== 'object' || messages === null) throw invalidUnit('its messages are not an object of lists')
  return Object.entries(messages).map(([name, list]) => checkList(name, list, topics))
}

function checkList(name: string, messages: unknown, topics: ReadonlyMap<string, MessageTopic>): MessageList {
  const topic = topics.get(name)
  if (!topic) {
    const known = topics.size > 0 ? `Those with a topic are: ${[...topics.keys()].join(', ')}` : 'No message has one'
    throw invalidUnit(`it holds messages "${name}", which have no topic in manifest.yaml. ${known}`)
  }
  if (!Array.isArray(messages)) throw invalidUnit(`its messages "${name}" are not a list`)
  return { name, topic, messages }
}
