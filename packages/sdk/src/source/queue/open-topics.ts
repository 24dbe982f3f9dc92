import { readRegistry, type TopicRegistration } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import { inputMissing, invalidInput } from './input-errors.ts'
import type { InputTopic, InputTopics } from './queue-input.ts'

/** A topic of the input, as it is in the queue. */
export interface OpenedTopic {
  /** Under which its messages are handed out. */
  readonly name: string
  readonly description: TopicDescription
  readonly registration: TopicRegistration | undefined
  /** The author's. */
  readonly decode: InputTopic<unknown>['decode'] | undefined
}

/**
 * Looks the input topics up.
 *
 * @throws {RetryableError} `input_missing`
 * @throws {UserError} `invalid_input`
 */
export async function openTopics(queue: Queue, topics: InputTopics<Record<string, unknown>>): Promise<OpenedTopic[]> {
  const wanted = Object.entries(topics).map(([name, entry]) => ({
    name,
    ...(typeof entry === 'string' ? { topic: entry, decode: undefined } : entry),
  }))
  if (wanted.length === 0) throw invalidInput('No input topic is named. Name at least one in `topics`.')
  const twin = wanted.find(({ topic }, index) => wanted.findIndex((other) => other.topic === topic) < index)
  if (twin) throw invalidInput(`The input topic "${twin.topic}" is named twice. Name it once.`)
  const descriptions = await queue.describe(wanted.map(({ topic }) => topic))
  const registry = await readRegistry(queue)
  return wanted.map(({ name, topic, decode }) => {
    const description = descriptions.find((one) => one.name === topic)
    const registration = registry.get(topic)
    const isEmpty = description?.partitions.every(({ earliest, end }) => earliest === end) ?? true
    // A run makes its topics first, registers them, and then publishes.
    if (!description || (isEmpty && !registration && !decode)) throw inputMissing(topic)
    if (!registration && !decode)
      throw invalidInput(
        `The registry does not know the input topic "${topic}", so nothing says how to decode it. Register it with ` +
          '"connector register", or give a decoder: { topic, decode }.',
      )
    return { name, description, registration, decode }
  })
}
