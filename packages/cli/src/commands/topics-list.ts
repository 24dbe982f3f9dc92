import { readRegistry, type TopicRegistration } from '@headrace/catalog'
import type { Queue, TopicDescription } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { formatAge } from '../output/age.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatTable } from '../output/table.ts'
import { readTopicContents } from '../reading/topic-contents.ts'

interface TopicsListOptions extends QueueOptions {
  readonly json?: true
}

export function addTopicsListCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('list')
    .description('list the registered topics of a queue, with the number of records and the age of the newest one')
    .option('--json', 'print one JSON object per line')
    .action((options: TopicsListOptions) =>
      useExistingQueue(options, context, async (queue) => {
        const registrations = await readRegistry(queue)
        const descriptions = await queue.describe([...registrations.keys()])
        const list = await Promise.all(
          descriptions.map((description) => summarize(queue, registrations.get(description.name)!, description)),
        )
        await context.output.write(options.json ? list.map(jsonLine).join('') : formatList(list))
        if (list.length === 0) context.warn('The queue has no topics: no connector has run with it yet.')
      }),
    )
  addQueueOptions(command)
  addExample(command, 'connector topics list --queue kafka://localhost:9092')
}

interface TopicSummary {
  readonly topic: string
  readonly message: string
  readonly connector: TopicRegistration['connector']
  readonly instance: string
  readonly partitions: readonly { readonly earliest: string; readonly end: string }[]
  readonly records: number | null
  /** RFC 3339. */
  readonly newest: string | null
  readonly successor?: string
}

async function summarize(
  queue: Queue,
  registration: TopicRegistration,
  description: TopicDescription,
): Promise<TopicSummary> {
  const { topic, message, connector, instance, successor } = registration
  const bounds = description.partitions.map(({ earliest, end }) => ({ earliest: `${earliest}`, end: `${end}` }))
  const { records, newest } = await readTopicContents(queue, description)
  return {
    ...{ topic, message, connector, instance, partitions: bounds, records },
    newest: newest === null ? null : new Date(newest).toISOString(),
    ...(successor && { successor }),
  }
}

function formatList(list: readonly TopicSummary[]): string {
  const rows = list.map(({ topic, message, connector, records, newest, successor = '' }) => [
    topic,
    message,
    `${connector.owner}/${connector.package} ${connector.version}`,
    `${records ?? '–'}`,
    newest === null ? '–' : formatAge(Date.parse(newest)),
    successor,
  ])
  return formatTable([['TOPIC', 'MESSAGE', 'CONNECTOR', 'RECORDS', 'NEWEST', 'SUCCESSOR'], ...rows])
}
