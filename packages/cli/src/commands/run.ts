import type { RunSummary } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { integerOption } from '../options/parse-option.ts'
import { addQueueOptions, openQueueOf, type QueueOptions } from '../options/queue-options.ts'
import { addSettingsOptions, resolveSettingsOf, type SettingsOptions } from '../options/settings-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { loadConnector } from '../project/load-connector.ts'
import { loadConnectorProject } from '../project/load-connector-project.ts'
import { printUnits } from '../running/dry-run.ts'
import { showProgress } from '../running/show-progress.ts'
import { unlessStopped } from '../running/unless-stopped.ts'

interface RunCommandOptions extends QueueOptions, SettingsOptions {
  readonly onBadMessage: 'keep' | 'stop'
  readonly newTopics?: true
  readonly dryRun?: true
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly json?: true
}

export function addRunCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('run')
    .description('publish what a connector reads, until its source ends or it is stopped')
  addSettingsOptions(addFolderArgument(command))
    .addOption(
      new Option('--on-bad-message <action>', 'what to do with a message that cannot be produced')
        .choices(['keep', 'stop'])
        .default('keep'),
    )
    .option('--new-topics', 'begin anew in new topics where an older version has data')
    .option('--dry-run', 'print what the source yields from its start on; publish nothing')
    .option('--metrics-port <port>', 'serve /metrics and /health there; 0 takes a free port', integerOption(0, 65_535))
    .option('--metrics-host <address>', 'address to serve them on', '127.0.0.1')
    .option('--json', 'print the result as JSON')
    .action((dir: string, options: RunCommandOptions) => run(dir, options, context))
  addQueueOptions(command)
  addExample(command, 'connector run examples/evm --set rpc=http://127.0.0.1:8545 --queue embedded:.headrace')
}

async function run(dir: string, options: RunCommandOptions, context: CommandContext): Promise<void> {
  const project = await loadConnectorProject(dir, context)
  const settings = await resolveSettingsOf(project, options, context.environment)
  const connector = await loadConnector(project, options.dryRun ?? false)
  const signal = context.shutdownSignal()
  const { log, status } = context.startLogging()
  const { instance, onBadMessage, newTopics, metricsPort: port, metricsHost: host, json } = options
  const request = { connector, project, settings, instance, signal, log }
  if (options.dryRun) return printUnits(request, { output: context.output, json: json ?? false })
  const queue = await unlessStopped(signal, openQueueOf(options, context.environment, log))
  if (!queue) return json ? context.output.write(jsonLine(nothingPublished)) : undefined
  const progress = status && showProgress(status)
  try {
    const { runConnector } = await import('@headrace/sdk')
    const summary = await runConnector({
      ...request,
      queue,
      onBadMessage,
      newTopics,
      observer: progress?.observer,
      metrics: port === undefined ? undefined : { port, host },
    })
    if (json) await context.output.write(jsonLine(summary))
  } finally {
    progress?.end()
    await queue.close()
  }
}

/** The result of a run that was stopped before its queue was there. */
const nothingPublished: RunSummary = { units: 0, records: 0, bytes: 0, badMessages: 0, reason: 'stopped' }
