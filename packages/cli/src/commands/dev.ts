import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { DevOptions } from '../developing/process-messages.ts'
import { portOption } from '../options/parse-option.ts'
import { addQueueOptions } from '../options/queue-options.ts'
import { addMetricsOptions, addRunOptions } from '../options/run-options.ts'
import { addProjectOptions } from '../options/settings-options.ts'
import { addExample } from '../output/result.ts'

export function addDevCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('dev')
    .description('run a connector during development, and restart it when its files change')
  addMetricsOptions(addRunOptions(addProjectOptions(command), 'stop'), '/metrics and /health')
    .option('--from-start', 'empty the embedded queue first, and publish from the beginning')
    .option('--serve', 'also serve the topics, with an API key for this run')
    .option(
      '--port <port>',
      'with --serve: port to listen on; 0 takes a free one (default: 8080, or the next free one)',
      portOption,
    )
    .option('--json', 'print one JSON object per record')
    .action(async (dir: string, options: DevOptions) => {
      if (options.port !== undefined && !options.serve) command.error('error: --port needs --serve')
      const { develop } = await import('../developing/develop.ts')
      await develop(dir, options, context)
    })
  addQueueOptions(command)
  addExample(command, 'connector dev examples/python-clock --set interval=1')
}
