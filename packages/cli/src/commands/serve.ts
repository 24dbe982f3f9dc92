import cluster from 'node:cluster'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { integerOption } from '../options/parse-option.ts'
import { addQueueOptions } from '../options/queue-options.ts'
import { addMetricsOptions } from '../options/run-options.ts'
import { addServingOptions } from '../options/serving-options.ts'
import { addExample } from '../output/result.ts'
import type { ServeOptions } from '../serving/announce.ts'

export function addServeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .description('serve the topics of a queue over REST, WebSocket and SSE, until stopped')
  addServingOptions(command).option(
    '--gateways <count>',
    'number of gateway processes, at most one per core',
    integerOption(1, 1024),
    1,
  )
  addMetricsOptions(command, '/metrics')
    .option('--with-key', 'create a development API key for this run, and revoke it at the end')
    .option('--json', 'print the address as a JSON object')
    .action(async (options: ServeOptions) => {
      if (options.withKey && options.environment !== 'development')
        command.error('error: --with-key needs --environment development')
      await serve(options, context)
    })
  addQueueOptions(command)
  addExample(command, 'connector serve --queue kafka://localhost:9092 --port 8080')
}

async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  if (!cluster.isWorker && options.gateways > 1) {
    const { superviseGateways } = await import('../serving/supervise-gateways.ts')
    return superviseGateways(options, context)
  }
  const { runGateway, workAsGateway } = await import('../serving/run-gateway.ts')
  return cluster.isWorker ? workAsGateway(options, context) : runGateway(options, context)
}
