/** Settings that a topic has without being given them, as far as anybody asks for them. */
const defaults: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'CreateTime',
  'retention.ms': '604800000',
  'retention.bytes': '-1',
}

/** Settings of a topic by name, those of its defaults included. */
export function topicConfigs(given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...Object.entries(defaults), ...given])
}

/** Whether Kafka takes a name for a topic. */
export function isTopicName(name: string): boolean {
  return /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..'
}
