import type { Queue } from '@headrace/queue'
import type { UsageCounts } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { timeOption } from '../options/parse-option.ts'
import { addExample, addQueueAction, type Results } from '../output/result.ts'
import type { Table } from '../output/table.ts'

interface UsageOptions {
  /** Ms since the Unix epoch. */
  readonly from: number
  readonly to: number
  readonly hourly?: true
}

export function addUsageCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('usage')
    .description('show the usage of API keys, summed over all gateways')
    .argument('[id]', 'show this key only')
    .addOption(
      new Option('--from <time>', 'first hour: an RFC 3339 time, or a time ago')
        .argParser(timeOption)
        .default(timeOption('-24h'), '-24h'),
    )
    .addOption(
      new Option('--to <time>', 'end, exclusive: a time as for --from')
        .argParser(timeOption)
        .default(Date.now(), 'now'),
    )
    .option('--hourly', 'one row per key and hour, instead of one per key')
    .hook('preAction', (command) => {
      const { from, to } = command.opts<UsageOptions>()
      if (from >= to) command.error('error: --from must be earlier than --to')
    })
  addQueueAction(command, 'print one JSON object per line', context, showUsage)
  addExample(command, 'connector keys usage 5f0c2b9a41d7e863 --from -7d --hourly')
}

async function* showUsage(queue: Queue, id: string | undefined, { from, to, hourly }: UsageOptions): Results {
  const { findKey, keylessId, readUsage, sumUsage } = await import('@headrace/server')
  if (id !== undefined && id !== keylessId) await findKey(queue, id)
  const hours = await readUsage(queue, { from, to, ...(id !== undefined && { key: id }) })
  const byKey = Map.groupBy(hours, ({ key }) => key)
  const list = hourly ? hours : Array.from(byKey, ([key, used]) => ({ key, ...sumUsage(used) }))
  yield { json: () => list, text: () => usageTable(list) }
}

function usageTable(list: readonly (UsageCounts & { key: string; hour?: string })[]): Table {
  const rows = list.map(({ key, hour = '', requests, refused, records, bytes, connectionSeconds }) => [
    key,
    ...(hour ? [hour] : []),
    ...[requests, refused, records, bytes, connectionSeconds].map(String),
  ])
  const hourly = list.some(({ hour }) => hour !== undefined)
  const heading = ['KEY', ...(hourly ? ['HOUR'] : []), 'REQUESTS', 'REFUSED', 'RECORDS', 'BYTES', 'CONNECTION SECONDS']
  return [heading, ...rows]
}
