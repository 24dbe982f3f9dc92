import { createReaderPosition, type Position, resolvePosition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { positionOption } from '../options/parse-option.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { openCanonicalView } from '../reading/canonical-view.ts'
import { openTopic } from '../reading/open-topic.ts'
import { jsonFormat, textFormat } from '../reading/record-format.ts'

interface TailOptions extends QueueOptions {
  readonly from: Position
  readonly json?: true
}

export function addTailCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('tail')
    .description('print the records of a topic as they are published, until stopped')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
    .addOption(
      new Option('--from <position>', 'where to begin: earliest, latest, a time, -10m, last:100 or a cursor')
        .argParser(positionOption)
        .default({ kind: 'latest' } satisfies Position, 'latest'),
    )
    .option('--json', 'one JSON object a line')
    .action(async (topic: string, options: TailOptions) => {
      const signal = context.shutdownSignal()
      await useExistingQueue(options, context, (queue) => followTopic(queue, topic, options, { ...context, signal }))
    })
  addQueueOptions(command)
  addExample(command, 'connector tail headrace.evm.1_0_0.ethereum_Block --from last:10')
}

async function followTopic(
  queue: Queue,
  name: string,
  { from, json }: TailOptions,
  { output, signal }: Pick<CommandContext, 'output'> & { signal: AbortSignal },
): Promise<void> {
  const topic = await openTopic(queue, name)
  const { description, renderer, writerId } = topic
  const start = await resolvePosition(queue, description, from, { writerId })
  const canonical = start.asOf && (await openCanonicalView(queue, topic, start.asOf))
  const position = createReaderPosition(description, start)
  const format = json ? jsonFormat(renderer) : textFormat(renderer)
  const places = start.partitions.map(({ offset }, partition) => ({ topic: name, partition, offset }))
  for await (const batch of queue.follow(places, { signal })) {
    const records = [...batch.records()].filter((record) => canonical?.shows(record) ?? true)
    if (records.length > 0) await output.write(format(records, position))
  }
}
