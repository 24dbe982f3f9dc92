import { createRecordRenderer, type RecordRenderer, readRegistry, type TopicRegistration } from '@headrace/catalog'
import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import { suggestTopics } from './suggest-topics.ts'

/** A registered topic, open for reading. */
export interface OpenTopic {
  readonly registration: TopicRegistration
  readonly description: TopicDescription
  readonly renderer: RecordRenderer
  /** The connector instance that writes it, `<lineage>/<instance>`. */
  readonly writerId: string
}

/** @throws {UserError} `unknown_topic`; the message names the topics that exist. */
export async function openTopic(queue: Queue, name: string): Promise<OpenTopic> {
  const registrations = await readRegistry(queue)
  const registration = registrations.get(name)
  const [description] = await queue.describe([name])
  if (!registration || !description) throw unknownTopic(name, [...registrations.keys()])
  return {
    registration,
    description,
    renderer: createRecordRenderer(registration),
    writerId: `${registration.lineage}/${registration.instance}`,
  }
}

function unknownTopic(name: string, known: readonly string[]): UserError {
  return new UserError('unknown_topic', `There is no topic "${name}" in this queue.${suggestTopics(name, known)}`)
}
