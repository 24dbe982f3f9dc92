/** The default settings of a topic that clients request. */
const defaults: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'CreateTime',
  'retention.ms': '604800000',
  'retention.bytes': '-1',
}

/** Settings of a topic by name, with defaults. */
export function topicConfigs(given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...Object.entries(defaults), ...given])
}

/** Whether Kafka accepts the name of a topic. */
export function isTopicName(name: string): boolean {
  return /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..'
}
