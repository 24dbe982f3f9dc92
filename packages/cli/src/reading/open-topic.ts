import {
  createRegistryClients,
  createTopicFormat,
  didYouMean,
  hideOwnHeaders,
  isAdopted,
  readContents,
  type TopicContent,
  type TopicFormat,
} from '@headrace/catalog'
import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import type { Environment } from '../environment.ts'

export interface OpenTopic {
  /** Reads the records of the topic. */
  readonly queue: Queue
  readonly content: TopicContent
  readonly format: TopicFormat
  readonly description: TopicDescription
  /** `<lineage>/<instance>`. `undefined`: other programs write the topic. */
  readonly writerId: string | undefined
}

export async function openTopic(queue: Queue, name: string, environment: Environment): Promise<OpenTopic> {
  const contents = await readContents(queue)
  const content = contents.get(name)
  const [description] = await queue.describe([name])
  if (!content || !description)
    throw unknownTopic(
      name,
      contents.values().map(({ topic }) => topic),
    )
  const isForeign = isAdopted(content)
  return {
    queue: isForeign ? hideOwnHeaders(queue, () => true) : queue,
    content,
    format: createTopicFormat(content, { schemaRegistry: createRegistryClients(environment) }),
    description,
    writerId: isForeign ? undefined : `${content.lineage}/${content.instance}`,
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
