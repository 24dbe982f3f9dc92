import {
  createRecordRenderer,
  type RecordHeaders,
  readRegistry,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import type { Queue, QueueRecord, TopicDescription } from '@headrace/queue'
import { inputMissing, invalidInput } from './input-errors.ts'
import type { InputRecord, InputTopics, MissingMessage } from './queue-input.ts'

export interface OpenedTopic {
  readonly name: string
  readonly description: TopicDescription
  readonly registration: TopicRegistration | undefined
  decode(record: QueueRecord, headers: RecordHeaders): DecodedMessage
}

type DecodedMessage = { readonly message: unknown } | { readonly missing: MissingMessage['reason'] }

export async function openTopics(queue: Queue, topics: InputTopics<Record<string, unknown>>): Promise<OpenedTopic[]> {
  const wanted = Object.entries(topics).map(([name, entry]) => ({
    name,
    ...(typeof entry === 'string' ? { topic: entry, decode: undefined } : entry),
  }))
  if (wanted.length === 0) throw invalidInput('No input topic is named. Name at least one in `topics`.')
  const duplicate = wanted.find(({ topic }, index) => wanted.findIndex((other) => other.topic === topic) < index)
  if (duplicate) throw invalidInput(`The input topic "${duplicate.topic}" is named twice. Name it once.`)
  const descriptions = await queue.describe(wanted.map(({ topic }) => topic))
  const registry = await readRegistry(queue)
  return wanted.map(({ name, topic, decode }) => {
    const description = descriptions.find((one) => one.name === topic)
    const registration = registry.get(topic)
    const isEmpty = description?.partitions.every(({ earliest, end }) => earliest === end) ?? true
    // A run creates its topics, then registers them, and then publishes.
    if (!description || (isEmpty && !registration && !decode)) throw inputMissing(topic)
    const decodeValue = decode
      ? (record: InputRecord) => ({ message: decode(record) })
      : registration && jsonDecoder(registration)
    if (!decodeValue)
      throw invalidInput(
        `The registry has no schema for the input topic "${topic}". Register it with "connector register", or give a ` +
          'decoder: { topic, decode }.',
      )
    return { name, description, registration, decode: messageDecoder(decodeValue) }
  })
}

type ValueDecoder = (record: InputRecord) => DecodedMessage

function messageDecoder(decodeValue: ValueDecoder): OpenedTopic['decode'] {
  return (record, { error }) => {
    if (error !== undefined) return { missing: 'produce_failed' }
    if (record.value === null) return { missing: 'no_value' }
    return decodeValue(record as InputRecord)
  }
}

function jsonDecoder(registration: TopicRegistration): ValueDecoder {
  const { render } = createRecordRenderer(registration)
  return (record) => {
    const json = Buffer.from(withCursor(render(record), '')).toString()
    const { value, error } = JSON.parse(json) as { value: unknown; error?: unknown }
    return error === undefined ? { message: value } : { missing: 'decode_failed' }
  }
}
