import type { SinkSummary } from '@headrace/sink'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addQueueOptions } from '../options/queue-options.ts'
import { addMetricsOptions } from '../options/run-options.ts'
import { addSinkOptions, addSinkWriteOptions, addWebhookOptions, checkTopics } from '../options/sink-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'
import { count } from '../output/table.ts'
import type { SinkCommandOptions } from '../sinking/run-sink-command.ts'

export function addSinkCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('sink')
    .description('keep a database, files or a webhook equal to topics, until it is stopped')
    .argument(
      '<destination>',
      'postgres://USER@HOST/DATABASE, parquet:FOLDER, webhook:https://HOST/PATH, or a module with a sink: ./sink.ts',
    )
  addSinkOptions(command)
  addSinkWriteOptions(command)
  addWebhookOptions(command)
  command.option('--once', 'end when everything is applied that was published before the start')
  addMetricsOptions(command, '/metrics and /health')
  command.hook('preAction', () => checkTopics(command, command.opts()))
  addResultAction(command, 'print the result as JSON', context, sink)
  addQueueOptions(command)
  addExample(command, 'connector sink postgres://localhost/shop --topic headrace.evm.1_0_0.ethereum_Block')
}

async function* sink(destination: string, options: SinkCommandOptions, context: CommandContext): Results {
  const { runSinkCommand } = await import('../sinking/run-sink-command.ts')
  const summary = await runSinkCommand(destination, options, context)
  yield { json: () => [summary], text: () => formatSummary(summary) }
}

function formatSummary({ records, reverts, reason }: SinkSummary): string {
  const end = reason === 'reached_head' ? 'Everything is applied' : 'Stopped'
  return `${end}: ${count(records, 'record')}, ${count(reverts, 'revert')} in this run.\n`
}
