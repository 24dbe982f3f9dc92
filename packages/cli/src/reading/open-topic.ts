import {
  createRecordRenderer,
  didYouMean,
  type RecordRenderer,
  readRegistry,
  type TopicRegistration,
} from '@headrace/catalog'
import { type Queue, type TopicDescription, UserError } from '@headrace/queue'

export interface OpenTopic {
  readonly registration: TopicRegistration
  readonly description: TopicDescription
  readonly renderer: RecordRenderer
  /** `<lineage>/<instance>` */
  readonly writerId: string
}

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

const maxListed = 20

/** Sentences to append to "There is no topic …". */
export function suggestTopics(name: string, known: readonly string[]): string {
  if (known.length === 0) return ' It has no topics yet: run a connector first, or check --queue.'
  const holding = known.filter((one) => name !== '' && one.toLowerCase().includes(name.toLowerCase()))
  if (holding.length > 1) return ` Topics with "${name}" in their name: ${listOf(holding)}.`
  const meant = holding.length === 1 ? ` Did you mean "${holding[0]}"?` : didYouMean(name, known)
  return `${meant} Its topics are: ${listOf(known)}.`
}

function listOf(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, maxListed).join(', ')
  return names.length > maxListed ? `${shown} and ${names.length - maxListed} more` : shown
}
