import { resolveTopics } from '@headrace/catalog'
import { unlessAborted } from '@headrace/queue'
import type { RunSummary } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import { addQueueOptions, openQueueOf } from '../options/queue-options.ts'
import { addMetricsOptions, addRunOptions, type RunCommandOptions, runtimeOptions } from '../options/run-options.ts'
import { addProjectOptions, resolveSettingsOf } from '../options/settings-options.ts'
import { addExample, addResultAction, type Result, type Results } from '../output/result.ts'
import { announceRun } from '../presence/announce-run.ts'
import { loadConnector, loadConnectorProject } from '../project/load-connector.ts'
import { dryRun } from '../running/dry-run.ts'
import { showProgress } from '../running/show-progress.ts'

interface RunOptions extends RunCommandOptions {
  readonly dryRun?: true
}

export function addRunCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('run')
    .description('run a connector: publish what it reads, until its source ends or it is stopped')
  addRunOptions(addProjectOptions(command), 'keep')
    .addOption(
      new Option(
        '--group <when>',
        'auto: publish units that are ready at the same time in one transaction; off: one transaction per unit',
      )
        .choices(['auto', 'off'])
        .default('auto'),
    )
    .option('--dry-run', 'print the units of the source from its start; publish nothing')
  addMetricsOptions(command, '/metrics and /health')
  addResultAction(command, 'print the result as JSON', context, run)
  addQueueOptions(command)
  addExample(command, 'connector run examples/evm --set rpc=http://127.0.0.1:8545 --queue embedded:.headrace')
}

async function* run(dir: string, options: RunOptions, baseContext: CommandContext): Results {
  const context = await withEnvFile(dir, baseContext)
  const project = await loadConnectorProject(dir, context)
  const settings = await resolveSettingsOf(project, options, context)
  // Throws if topic names are invalid, before a queue is created.
  resolveTopics(project, settings, options.instance)
  const connector = await loadConnector(project, options.dryRun ?? false)
  const signal = context.shutdownSignal()
  const { log, status } = context.startLogging()
  noteEnvFile(context)
  const request = { connector, project, settings, instance: options.instance, signal, log }
  if (options.dryRun) return yield* dryRun(request)
  const { owner, package: name } = project.manifest
  await context.startTraces(`${owner}.${name}`)
  await using queue = await unlessAborted(openQueueOf(options, context, { log }), signal)
  if (!queue) return yield summaryResult({ units: 0, records: 0, bytes: 0, badMessages: 0, reason: 'stopped' })
  const { runConnector } = await import('@headrace/sdk')
  const progress = status && showProgress(status)
  const running = announceRun({ queue, log, observer: progress?.observer }, (observer) =>
    runConnector({ ...request, ...runtimeOptions(options), queue, observer }),
  )
  yield summaryResult(await running.finally(() => progress?.end()))
}

function summaryResult(summary: RunSummary): Result {
  return { json: () => [summary], text: () => '' }
}
