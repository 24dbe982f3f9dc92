import { formatProto, schemaFromDescriptors } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatFacts, formatTable } from '../output/table.ts'
import { describePartition, type PartitionSummary } from '../reading/describe-partition.ts'
import { openTopic } from '../reading/open-topic.ts'

interface TopicsDescribeOptions extends QueueOptions {
  readonly json?: true
}

export function addTopicsDescribeCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('describe')
    .description('show the writer, the contents and the schema of a topic')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
    .option('--json', 'print a JSON object')
    .action((topic: string, options: TopicsDescribeOptions) =>
      useExistingQueue(options, context, async (queue) => {
        const facts = await describeTopic(queue, topic)
        await context.output.write(options.json ? jsonLine(facts) : formatTopic(facts))
      }),
    )
  addQueueOptions(command)
  addExample(command, 'connector topics describe headrace.evm.1_0_0.ethereum_Block')
}

type TopicFacts = Awaited<ReturnType<typeof describeTopic>>

async function describeTopic(queue: Queue, topic: string) {
  const { registration, description, writerId } = await openTopic(queue, topic)
  const { connector, instance, message, key = null, time = null, bytes, successor = null, descriptors } = registration
  const { readCheckpoints } = await import('@headrace/sdk')
  const { newest } = await readCheckpoints(queue, writerId)
  const partitions: PartitionSummary[] = []
  for (const [partition, bounds] of description.partitions.entries())
    partitions.push(await describePartition(queue, { topic, topicId: description.id, partition }, bounds))
  const type = schemaFromDescriptors(descriptors).message(message)
  return {
    ...{ topic, message, key, time, bytes, connector, instance, writer: writerId, successor },
    checkpoint: newest ? { unit: `${newest.unit}`, position: newest.position } : null,
    partitions,
    proto: type ? formatProto(type) : null,
  }
}

function formatTopic(facts: TopicFacts): string {
  const { topic, message, key, time, bytes, connector, writer, successor, checkpoint, partitions, proto } = facts
  const text = formatFacts({
    topic,
    message,
    key: key ?? 'none',
    time: time ?? 'that of the unit',
    bytes,
    connector: `${connector.owner}/${connector.package} ${connector.version}`,
    writer,
    successor: successor ?? 'none',
    checkpoint: checkpoint ? `unit ${checkpoint.unit}, ${JSON.stringify(checkpoint.position)}` : 'none',
  })
  const rows = partitions.map((one) => [
    ...[`${one.partition}`, one.earliest, one.end, one.oldest ?? '–', one.newest ?? '–'],
  ])
  const table = formatTable([['PARTITION', 'EARLIEST', 'END', 'OLDEST', 'NEWEST'], ...rows])
  return [text, table, proto ?? 'The registered schema does not contain the message.\n'].join('\n')
}
