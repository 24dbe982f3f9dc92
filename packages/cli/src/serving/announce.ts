import { findLast, readContents } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import { listKeys, revokeKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import type { QueueOptions } from '../options/queue-options.ts'
import type { MetricsOptions } from '../options/run-options.ts'
import { isLoopback, type ServingOptions, servesExplorer } from '../options/serving-options.ts'
import { printResult } from '../output/result.ts'
import { count } from '../output/table.ts'
import { createRunKey, explorerLink } from './run-key.ts'

export interface ServeOptions extends QueueOptions, MetricsOptions, ServingOptions {
  readonly gateways: number
  readonly withKey?: true
  readonly json?: true
}

/** Returns a function that revokes the key of this run. */
export async function announce(
  queue: Queue,
  { url, options }: { readonly url: string; readonly options: ServeOptions },
  context: CommandContext,
): Promise<() => Promise<void>> {
  const made = options.withKey || isForOnePerson(options, context) ? await createRunKey(queue, 'serve') : undefined
  const explorer = servesExplorer(options) ? await explorerLink(url, made) : undefined
  const access = { url, ...(made && { key: made.key }), ...(explorer !== undefined && { explorer }) }
  const lines = [url, ...(made ? [made.key] : []), ...(made && explorer ? [`Explorer: ${explorer}`] : [])]
  const text = () => lines.map((line) => `${line}\n`).join('')
  await printResult({ json: () => [access], text }, options, context.output)
  if (explorer !== undefined && !made) context.inform(describeExplorer(explorer, options))
  showFirstSteps(queue, { url, key: made?.key, options }, context)
  return async () => {
    if (made) await revokeKey(queue, made.id)
  }
}

/** A key is made without being asked for only if no other person or log can see it, and in no shared queue. */
function isForOnePerson(
  { environment, host, queue, json, ...options }: ServeOptions,
  context: CommandContext,
): boolean {
  const isLocal = isLoopback(host) && queue.startsWith('embedded:') && environment === 'development'
  return isLocal && servesExplorer({ host, ...options }) && context.isTerminal && !json
}

function describeExplorer(link: string, { environment }: ServeOptions): string {
  const text = `The explorer is at ${link} and asks for an API key.`
  return environment === 'development' ? `${text} With --with-key, a link opens it signed in.` : text
}

const fewTopics = 10

export interface FirstStepsOptions {
  readonly url: string
  readonly key?: string | undefined
  readonly options: Pick<ServeOptions, 'queue' | 'environment'>
  readonly topics?: readonly string[]
}

/** Nothing waits for the list of topics. */
export function showFirstSteps(queue: Queue, options: FirstStepsOptions, context: CommandContext): void {
  writeFirstSteps(queue, options, context).catch((error: Error) => {
    if (!context.shutdownSignal().aborted) context.warn(`The topics cannot be listed: ${error.message}`)
  })
}

async function writeFirstSteps(
  queue: Queue,
  { url, key, options, topics: own = [] }: FirstStepsOptions,
  { inform, suggest }: CommandContext,
): Promise<void> {
  const contents = await readContents(queue)
  const topics = await queue.describe(contents.values().map(({ topic }) => topic))
  const ownFirst = topics.toSorted((a, b) => Number(own.includes(b.name)) - Number(own.includes(a.name)))
  const named = await Promise.all(
    ownFirst
      .slice(0, fewTopics)
      .map(async (topic) => ({ name: topic.name, records: await countRecords(queue, topic) })),
  )
  if (topics.length === 0) inform('There are no topics yet: no connector has run with this queue.')
  else inform(`Serving ${count(topics.length, 'topic')}: ${listTopics(named, topics.length)}`)
  if (key === undefined && !(await hasKey(queue, options)))
    inform(`There is no API key yet. Create one: ${createCommand(options)}`)
  const read = named.find(({ records }) => records > 0) ?? named[0]
  const path = read ? `/api/v1/data/${read.name}?limit=3` : '/api/v1/topics'
  suggest('Read records:', `curl -H "Authorization: Bearer ${key ?? '$KEY'}" '${url}${path}'`)
}

function listTopics(named: readonly { name: string; records: number }[], total: number): string {
  const texts = named.map(({ name, records }) => `${name} (${count(records, 'record')})`)
  const more = total - named.length
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Number of records published so far, including removed ones. */
async function countRecords(queue: Queue, topic: TopicDescription): Promise<number> {
  const last = await Promise.all(topic.partitions.map((_, partition) => findLast(queue, topic, partition, 1)))
  return last.flat().reduce((sum, { seq }) => sum + (seq ?? -1) + 1, 0)
}

async function hasKey(queue: Queue, { environment }: FirstStepsOptions['options']): Promise<boolean> {
  const keys = await listKeys(queue)
  return keys.some((key) => key.state === 'usable' && key.environment === environment)
}

function createCommand({ environment, queue }: FirstStepsOptions['options']): string {
  const named = environment === 'development' ? '' : ` --environment ${environment}`
  const at = queue === 'embedded:.headrace' ? '' : ` --queue ${queue}`
  return `connector keys create --name NAME${named}${at}`
}
