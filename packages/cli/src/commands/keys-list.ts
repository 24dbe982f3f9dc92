import type { ListedKey } from '@headrace/server'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatTable } from '../output/table.ts'

interface KeysListOptions extends QueueOptions {
  readonly all?: true
  readonly json?: true
}

export function addKeysListCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('list')
    .description('list the API keys of a queue and their rights')
    .option('--all', 'include keys that have expired or were revoked')
    .option('--json', 'print one JSON object per line')
    .action(async (options: KeysListOptions) => {
      await useExistingQueue(options, context, async (queue) => {
        const { listKeys } = await import('@headrace/server')
        const list = (await listKeys(queue)).filter(({ state }) => options.all || state === 'usable')
        await context.output.write(options.json ? list.map(jsonLine).join('') : formatList(list))
      })
    })
  addQueueOptions(command)
  addExample(command, 'connector keys list --queue kafka://localhost:9092')
}

function formatList(list: readonly ListedKey[]): string {
  const rows = list.map((key) => [
    key.id,
    key.name,
    key.environment,
    key.topics.join(' '),
    key.origins.join(' ') || 'any',
    `${key.rate}/s, ${key.burst} at once`,
    `${key.connections}`,
    stateText(key),
  ])
  return formatTable([['ID', 'NAME', 'ENVIRONMENT', 'TOPICS', 'ORIGINS', 'REQUESTS', 'CONNECTIONS', 'STATE'], ...rows])
}

function stateText({ state, expires, revoked }: ListedKey): string {
  if (state === 'revoked') return `revoked ${revoked}`
  if (state === 'expired') return `expired ${expires}`
  return expires === undefined ? 'usable' : `usable until ${expires}`
}
