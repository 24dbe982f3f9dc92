import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { futureOption, periodOption } from '../options/parse-option.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { showKey } from '../output/show-key.ts'

interface KeysRotateOptions extends QueueOptions {
  /** Ms. */
  readonly grace: number
  readonly expires?: Date
  readonly json?: true
}

export function addKeysRotateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('rotate')
    .description('create a key with the rights of an existing one, print it once, and let the old one expire')
    .argument('<id>', 'as "connector keys list" shows it')
    .addOption(
      new Option('--grace <period>', 'how long the old key stays valid, e.g. 7d; 0s revokes it at once')
        .argParser(periodOption)
        .default(periodOption('1d'), '1d'),
    )
    .option('--expires <time>', 'when the new key expires (default: when the old one would have expired)', futureOption)
    .option('--json', 'print a JSON object')
    .action(async (id: string, { grace, expires, json, ...options }: KeysRotateOptions) => {
      await useExistingQueue(options, context, async (queue) => {
        const { rotateKey } = await import('@headrace/server')
        const rotation = { graceMs: grace, ...(expires && { expires }) }
        await showKey((show) => rotateKey(queue, id, { ...rotation, show }), context, json ? { json } : {})
      })
    })
  addQueueOptions(command)
  addExample(command, 'connector keys rotate 5f0c2b9a41d7e863 --grace 7d')
}
