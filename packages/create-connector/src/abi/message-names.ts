/** How the message of an event is called, and its topic. */
export interface MessageName {
  readonly message: string
  readonly topicEvent: string
}

/**
 * Names for the messages and topics of events. Several events of one name are numbered: `Transfer`, `Transfer2`. Messages
 * are in capitalised camel case, as their code needs it; topics keep the name that the ABI has.
 */
export function messageNames(events: readonly string[]): MessageName[] {
  const messages = new Set<string>()
  const topics = new Set<string>()
  return events.map((name) => ({
    message: addUnique(messages, toMessageName(name)),
    topicEvent: addUnique(topics, name.replaceAll(/[^A-Za-z0-9_]/g, '').replace(/_+$/, '') || 'Event'),
  }))
}

/** What the generated code of a message uses, or defines beside it. */
const reserved: readonly string[] = [
  ...['Config', 'Messages', 'DefinedSchema', 'Timestamp', 'BinaryWriter', 'MessageFns'],
  ...['Array', 'BigInt', 'Boolean', 'Error', 'Map', 'Number', 'Object', 'String', 'Uint8Array'],
]

function toMessageName(name: string): string {
  const camel = name.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())
  const capitalised = /^[A-Za-z]/.test(camel) ? `${camel[0]!.toUpperCase()}${camel.slice(1)}` : `Event${camel}`
  return reserved.includes(capitalised) ? `${capitalised}Event` : capitalised
}

function addUnique(used: Set<string>, name: string): string {
  let unique = name
  for (let number = 2; used.has(unique); number++) unique = `${name}${number}`
  used.add(unique)
  return unique
}
