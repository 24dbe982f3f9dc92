import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { DevOptions } from '../developing/dev-options.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { addQueueOptions } from '../options/queue-options.ts'
import { addMetricsOptions, addRunOptions } from '../options/run-options.ts'
import { addSettingsOptions } from '../options/settings-options.ts'

export function addDevCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('dev')
    .description('run a connector while it is being written: again after each change of its files')
  addMetricsOptions(addRunOptions(addSettingsOptions(addFolderArgument(command)), 'stop'))
    .option('--no-cache', 'send every request of the source, also those that were answered before the change')
    .option('--json', 'one JSON object a record')
    .action(async (dir: string, options: DevOptions) => {
      const { develop } = await import('../developing/develop.ts')
      await develop(dir, options, context)
    })
  addQueueOptions(command)
  addExample(command, 'connector dev examples/python-clock --set interval=1')
}
