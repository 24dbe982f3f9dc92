import { createReaderPosition, hideOwnHeaders, type Position, resolvePosition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { positionOption } from '../options/parse-option.ts'
import { addQueueOptions, openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'
import { openCanonicalView } from '../reading/canonical-view.ts'
import { openTopic } from '../reading/open-topic.ts'
import { recordResult } from '../reading/record-format.ts'
import { addSelectionOptions, createRecordSelector, type SelectionOptions } from '../reading/select-records.ts'

interface TailOptions extends QueueOptions, SelectionOptions {
  readonly from: Position
}

export function addTailCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('tail')
    .description('print the records of topics as they are published, until stopped')
    .argument('<topic...>', 'full names, e.g. headrace.evm.1_0_0.ethereum_Block')
    .addOption(
      new Option('--from <position>', 'first record: earliest, latest, a time, -10m, last:100 or a cursor')
        .argParser(positionOption)
        .default({ kind: 'latest' } satisfies Position, 'latest'),
    )
  addSelectionOptions(command)
  addResultAction(command, 'print one JSON object per line', context, followTopics)
  addQueueOptions(command)
  addExample(command, 'connector tail headrace.evm.1_0_0.ethereum_Block --from last:10')
}

async function* followTopics(topics: readonly string[], options: TailOptions, context: CommandContext): Results {
  const names = [...new Set(topics)]
  const signal = context.shutdownSignal()
  await using opened = await openExistingQueue(options, context)
  const queue = hideOwnHeaders(opened, (name) => followed.get(name)?.writerId === undefined)
  const followed = new Map<string, Awaited<ReturnType<typeof beginTopic>>>()
  for (const name of names) followed.set(name, await beginTopic(opened, name, options, context))
  const places = names.flatMap((topic) =>
    followed.get(topic)!.position.places.map(({ offset }, partition) => ({ topic, partition, offset })),
  )
  for await (const batch of queue.follow(places, { signal })) {
    const { selector, position } = followed.get(batch.topic)!
    const selected = await selector.select([...batch.records()])
    if (selected.records.length > 0)
      yield recordResult(selector.renderer, selected, position, { named: names.length > 1 })
  }
}

async function beginTopic(opened: Queue, name: string, options: TailOptions, context: CommandContext) {
  const topic = await openTopic(opened, name, context.environment)
  const { queue, writerId } = topic
  const start = await resolvePosition(queue, topic.description, options.from, { writerId })
  // From a cursor of the canonical view.
  const canonical = start.asOf && (await openCanonicalView(queue, topic, start.asOf))
  const selector = createRecordSelector(topic, { ...options, order: 'asc', start: start.partitions, canonical })
  return { writerId, selector, position: createReaderPosition(topic.description, start) }
}
