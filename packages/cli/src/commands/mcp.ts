import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { McpOptions } from '../mcp/serve-mcp.ts'
import { gatewayOption, instanceOption, settingOption } from '../options/parse-option.ts'
import { addQueueOptions } from '../options/queue-options.ts'
import { readFolder } from '../options/settings-options.ts'
import { addExample } from '../output/result.ts'

export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .description('serve read-only tools for a language model over standard input and output (Model Context Protocol)')
    .argument('[dir]', 'folder of a connector: adds a tool that runs "connector verify" with it', readFolder)
    .option('--config <file>', 'with a folder: YAML or JSON file with settings')
    .option('--set <name=value>', 'with a folder: a setting; may be given several times', settingOption)
    .option('--instance <name>', 'with a folder: name of the instance', instanceOption)
    .option(
      '--url <url>',
      'read from this gateway, with the key in HEADRACE_API_KEY, instead of from a queue',
      gatewayOption,
    )
    .option('--json', 'write errors as JSON lines, as the log is, unless standard error is a terminal')
    .action(async (dir: string | undefined, options: McpOptions) => {
      const given = (name: string) => command.getOptionValueSource(name) === 'cli'
      if (options.url !== undefined && (dir !== undefined || ['queue', 'kafkaConfig'].some(given)))
        command.error('error: --url cannot be given together with a folder, --queue or --kafka-config')
      if (dir === undefined && ['config', 'set', 'instance'].some(given))
        command.error('error: --config, --set and --instance need the folder of a connector')
      const { serveMcp } = await import('../mcp/serve-mcp.ts')
      await serveMcp(dir, options, context)
    })
  addQueueOptions(command)
  addExample(command, 'connector mcp --queue embedded:.headrace')
}
