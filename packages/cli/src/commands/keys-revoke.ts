import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'

interface KeysRevokeOptions extends QueueOptions {
  readonly json?: true
}

export function addKeysRevokeCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('revoke')
    .description('revoke an API key permanently, and close its open connections')
    .argument('<id>', 'as "connector keys list" shows it')
    .option('--json', 'print a JSON object')
    .action(async (id: string, options: KeysRevokeOptions) => {
      await useExistingQueue(options, context, async (queue) => {
        const { revokeKey } = await import('@headrace/server')
        await revokeKey(queue, id)
        await context.output.write(options.json ? jsonLine({ id, state: 'revoked' }) : `${id} is revoked.\n`)
      })
    })
  addQueueOptions(command)
  addExample(command, 'connector keys revoke 5f0c2b9a41d7e863')
}
