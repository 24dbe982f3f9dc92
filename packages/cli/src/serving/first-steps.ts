import { findLast, readRegistry } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import { listKeys } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { count } from '../output/count.ts'
import type { ServeOptions } from './serve-options.ts'

/** Topics that are named at most. */
const fewTopics = 10

export interface FirstStepsOptions {
  readonly url: string
  /** The key of this run, if it has one. */
  readonly key: string | undefined
  readonly options: ServeOptions
}

/** Says which topics are served, and what to type to read one. */
export async function showFirstSteps(
  queue: Queue,
  { url, key, options }: FirstStepsOptions,
  { inform }: CommandContext,
): Promise<void> {
  const topics = await queue.describe([...(await readRegistry(queue)).keys()])
  if (topics.length === 0) inform('There are no topics yet: no connector has run with this queue.')
  else inform(`Serving ${count(topics.length, 'topic')}: ${await listTopics(queue, topics)}`)
  if (key === undefined && !(await hasKey(queue, options)))
    inform(`There is no API key yet. Make one: ${createCommand(options)}`)
  const path = topics[0] ? `/api/v1/data/${topics[0].name}?limit=3` : '/api/v1/topics'
  inform(`Ask for records: curl -H "Authorization: Bearer ${key ?? '$KEY'}" '${url}${path}'`)
}

async function listTopics(queue: Queue, topics: readonly TopicDescription[]): Promise<string> {
  const named = topics.slice(0, fewTopics).map(async (topic) => {
    return `${topic.name} (${count(await countRecords(queue, topic), 'record')})`
  })
  const more = topics.length - named.length
  return [...(await Promise.all(named)), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** How many have been published so far. */
async function countRecords(queue: Queue, topic: TopicDescription): Promise<number> {
  const last = await Promise.all(topic.partitions.map((_, partition) => findLast(queue, topic, partition, 1)))
  return last.flat().reduce((sum, { seq }) => sum + (seq ?? -1) + 1, 0)
}

async function hasKey(queue: Queue, { environment }: ServeOptions): Promise<boolean> {
  const keys = await listKeys(queue)
  return keys.some((key) => key.state === 'usable' && key.environment === environment)
}

function createCommand({ environment, queue }: ServeOptions): string {
  const named = environment === 'development' ? '' : ` --environment ${environment}`
  const at = queue === 'embedded:.headrace' ? '' : ` --queue ${queue}`
  return `connector keys create --name NAME${named}${at}`
}
