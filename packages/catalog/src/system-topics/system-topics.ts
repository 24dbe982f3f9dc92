import { ownersTopic, type Queue, type TopicSpec } from '@headrace/queue'

export const systemTopics = {
  registry: '_headrace.registry',
  owners: ownersTopic as typeof ownersTopic,
  checkpoints: '_headrace.checkpoints',
  reorgs: '_headrace.reorgs',
  keys: '_headrace.keys',
  usage: '_headrace.usage',
  deadLetters: '_headrace.dead-letters',
} as const

/** Number of partitions of the topics with checkpoints and with reorganisations. */
export const writerPartitions = 32

/** @throws {TopicMismatchError} a topic exists with other settings. */
export async function createSystemTopics(queue: Queue): Promise<void> {
  await queue.createTopics(specs)
}

const specs: readonly TopicSpec[] = [
  { name: systemTopics.registry, cleanup: 'compact' },
  { name: systemTopics.owners, cleanup: 'compact' },
  { name: systemTopics.checkpoints, cleanup: 'compact', partitions: writerPartitions },
  { name: systemTopics.reorgs, cleanup: 'compact', partitions: writerPartitions },
  { name: systemTopics.keys, cleanup: 'compact' },
  { name: systemTopics.usage, cleanup: 'compact' },
  { name: systemTopics.deadLetters, cleanup: 'delete' },
]

/** `what` follows "cannot be read:". */
type InvalidValue = (what: string, options?: ErrorOptions) => Error

/** The value must be a JSON object. */
export function parseValue(value: Uint8Array, invalid: InvalidValue): Record<string, unknown> {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'))
  } catch (cause) {
    throw invalid('it is not JSON', { cause })
  }
  if (!isObject(json)) throw invalid('it is not a JSON object')
  return json
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
