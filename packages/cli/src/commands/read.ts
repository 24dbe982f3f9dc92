import {
  createReaderPosition,
  mergePartitions,
  type Position,
  parsePosition,
  type RecordOrder,
  resolvePosition,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { cursorOption, integerOption, positionOption } from '../options/parse-option.ts'
import { addExample, addQueueAction, type Results } from '../output/result.ts'
import { openCanonicalView } from '../reading/canonical-view.ts'
import { openTopic } from '../reading/open-topic.ts'
import { readBackward, readForward } from '../reading/partition-records.ts'
import { recordResult } from '../reading/record-format.ts'
import { addSelectionOptions, createRecordSelector, type SelectionOptions } from '../reading/select-records.ts'

interface ReadOptions extends SelectionOptions {
  readonly order: RecordOrder
  readonly view: 'log' | 'canonical'
  readonly limit?: number
  readonly from?: Position
  readonly to?: Position
  readonly cursor?: Position
}

export function addReadCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('read')
    .description('print the records that a topic has when the command starts')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
    .addOption(
      new Option('--order <order>', 'newest first (desc) or oldest first (asc)')
        .choices(['desc', 'asc'])
        .default('desc'),
    )
    .option('--limit <count>', 'maximum number of records to print (default: all)', integerOption(1))
    .option(
      '--from <position>',
      'first record: earliest, final, a time, -10m, last:100 or a cursor (default: earliest)',
      positionOption,
    )
    .option('--to <position>', 'end, exclusive: a position as for --from, or latest (default: latest)', positionOption)
    .option(
      '--cursor <cursor>',
      'continue after the record with this cursor: instead of --to, or of --from with --order asc',
      cursorOption,
    )
    .addOption(
      new Option(
        '--view <view>',
        'canonical: current records only; log: all records as published, with reverted ones and reverts',
      )
        .choices(['canonical', 'log'])
        .default('canonical'),
    )
    .hook('preAction', (command) => {
      const { order, cursor, ...range } = command.opts<ReadOptions>()
      const replaced = order === 'asc' ? 'from' : 'to'
      if (cursor && range[replaced])
        command.error(`error: --cursor and --${replaced} cannot be given together with --order ${order}`)
    })
  addSelectionOptions(command)
  addQueueAction(command, 'print one JSON object per line', context, readRecords)
  addExample(command, 'connector read headrace.evm.1_0_0.ethereum_Block --from -1h --json')
}

async function* readRecords(opened: Queue, name: string, options: ReadOptions, context: CommandContext): Results {
  const { order, cursor, view, limit = Number.POSITIVE_INFINITY } = options
  const topic = await openTopic(opened, name, context.environment)
  const { queue, description, writerId } = topic
  const begin = (order === 'asc' && cursor) || options.from || parsePosition('earliest')
  const end = (order === 'desc' && cursor) || options.to || parsePosition('latest')
  const from = await resolvePosition(queue, description, begin, { writerId })
  const to = await resolvePosition(queue, description, end, { writerId })
  const start = order === 'asc' ? from : to
  const canonical = view === 'canonical' ? await openCanonicalView(queue, topic, start.asOf) : undefined
  const selector = createRecordSelector(topic, { ...options, start: start.partitions, canonical })
  const read = order === 'asc' ? readForward : readBackward
  const partitions = description.partitions.map((_, partition) =>
    read(queue, {
      topic: name,
      topicId: description.id,
      partition,
      from: from.partitions[partition]!.offset,
      to: to.partitions[partition]!.offset,
    }),
  )
  const asOf = canonical && { asOf: canonical.asOf }
  const position = createReaderPosition(description, { partitions: start.partitions, ...asOf }, order)
  let left = limit
  for await (const records of mergePartitions(partitions, order)) {
    const { records: shown, skipped } = await selector.select(records)
    if (shown.length > 0) yield recordResult(selector.renderer, { records: shown.slice(0, left), skipped }, position)
    left -= shown.length
    if (left <= 0) return
  }
}
