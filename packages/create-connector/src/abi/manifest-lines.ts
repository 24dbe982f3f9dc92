import type { EventMessage } from './event-message.ts'

/** The topics of a manifest, one for each message, as lines of YAML. */
export function topicLines(contract: string, messages: readonly EventMessage[]): string[] {
  return messages.flatMap(({ message, topicEvent }) => [
    `  - message: ${message}`,
    `    name: ${topicName(contract, topicEvent)}`,
    '    key: TransactionHash',
    '    bytes: hex',
  ])
}

/** `<contract>_<EventName>` */
export function topicName(contract: string, topicEvent: string): string {
  return `${contract}_${topicEvent}`
}

/** The default of the setting `address`, where there is one. */
export function addressLines(address: string | undefined): string[] {
  return address === undefined ? [] : [`      default: "${address}"`]
}
