import { readRegistry, type TopicRegistration } from '@headrace/catalog'
import type { TopicDescription } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatTable } from '../output/table.ts'

interface TopicsListOptions extends QueueOptions {
  readonly json?: true
}

export function addTopicsListCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('list')
    .description('list the registered topics of a queue')
    .option('--json', 'one JSON object a line')
    .action((options: TopicsListOptions) =>
      useExistingQueue(options, context, async (queue) => {
        const registrations = await readRegistry(queue)
        const descriptions = await queue.describe([...registrations.keys()])
        const list = descriptions.map((description) => summarize(registrations.get(description.name)!, description))
        await context.output.write(options.json ? list.map(jsonLine).join('') : formatList(list))
        if (list.length === 0) context.warn('There are no topics: no connector has run with this queue yet.')
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
  readonly successor?: string
}

function summarize(registration: TopicRegistration, { partitions }: TopicDescription): TopicSummary {
  const { topic, message, connector, instance, successor } = registration
  const bounds = partitions.map(({ earliest, end }) => ({ earliest: `${earliest}`, end: `${end}` }))
  return { topic, message, connector, instance, partitions: bounds, ...(successor && { successor }) }
}

function formatList(list: readonly TopicSummary[]): string {
  const rows = list.map(({ topic, message, connector, partitions, successor = '' }) => [
    topic,
    message,
    `${connector.owner}/${connector.package} ${connector.version}`,
    partitions.map(({ earliest, end }) => `${earliest}–${end}`).join(' '),
    successor,
  ])
  return formatTable([['TOPIC', 'MESSAGE', 'CONNECTOR', 'OFFSETS', 'SUCCESSOR'], ...rows])
}
