import type { UsageCounts } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { timeOption } from '../options/parse-option.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatTable } from '../output/table.ts'

interface KeysUsageOptions extends QueueOptions {
  /** Ms since the Unix epoch. */
  readonly from: number
  readonly to: number
  readonly hourly?: true
  readonly json?: true
}

export function addKeysUsageCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('usage')
    .description('show the usage of API keys, summed over all gateways')
    .argument('[id]', 'show this key only')
    .addOption(
      new Option('--from <time>', 'first hour: an RFC 3339 time, or a time ago')
        .argParser(timeOption)
        .default(timeOption('-24h'), '-24h'),
    )
    .addOption(new Option('--to <time>', 'end, exclusive: as --from').argParser(timeOption).default(Date.now(), 'now'))
    .option('--hourly', 'one row per hour')
    .option('--json', 'print one JSON object per line')
    .action(async (id: string | undefined, { from, to, hourly, json, ...options }: KeysUsageOptions) => {
      if (from >= to) command.error('error: --from must be earlier than --to')
      await useExistingQueue(options, context, async (queue) => {
        const { checkKeyExists, readUsage, sumUsage } = await import('@headrace/server')
        if (id !== undefined) await checkKeyExists(queue, id)
        const hours = await readUsage(queue, { from, to, ...(id !== undefined && { key: id }) })
        const byKey = Map.groupBy(hours, ({ key }) => key)
        const list = hourly ? hours : Array.from(byKey, ([key, used]) => ({ key, ...sumUsage(used) }))
        await context.output.write(json ? list.map(jsonLine).join('') : formatList(list))
      })
    })
  addQueueOptions(command)
  addExample(command, 'connector keys usage 5f0c2b9a41d7e863 --from -7d --hourly')
}

/** Usage of a key in one hour, or in the whole period. */
interface ShownUsage extends Readonly<UsageCounts> {
  readonly key: string
  readonly hour?: string
}

function formatList(list: readonly ShownUsage[]): string {
  const rows = list.map(({ key, hour = '', requests, refused, records, bytes, connectionSeconds }) => [
    key,
    ...(hour ? [hour] : []),
    ...[requests, refused, records, bytes, connectionSeconds].map(String),
  ])
  const hourly = list.some(({ hour }) => hour !== undefined)
  const heading = ['KEY', ...(hourly ? ['HOUR'] : []), 'REQUESTS', 'REFUSED', 'RECORDS', 'BYTES', 'CONNECTION SECONDS']
  return formatTable([heading, ...rows])
}
