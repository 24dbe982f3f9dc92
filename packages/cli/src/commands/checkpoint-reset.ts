import { checkProject, readRegistry } from '@headrace/catalog'
import type { ResetSummary, ResetTarget } from '@headrace/sdk'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { jsonOption } from '../options/parse-option.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { addSettingsOptions, type SettingsOptions } from '../options/settings-options.ts'
import { count } from '../output/count.ts'
import { jsonLine } from '../output/json-line.ts'
import { connectorWriter } from '../project/connector-writer.ts'

interface CheckpointResetOptions extends QueueOptions, SettingsOptions {
  readonly to?: unknown
  readonly start?: true
  readonly keepRecords?: true
  readonly yes?: true
  readonly json?: true
}

export function addCheckpointResetCommand(checkpoint: Command, context: CommandContext): void {
  const command = checkpoint
    .command('reset')
    .description('make a connector continue from an older checkpoint, or from the start of its source')
  addSettingsOptions(addFolderArgument(command))
    .option('--to <json>', 'one of the checkpoints that "connector checkpoint show --history" lists', jsonOption)
    .option('--start', 'go back to the start of the source')
    .option('--keep-records', 'with --start: revert nothing, so that records are published twice')
    .option('--yes', 'do not ask')
    .option('--json', 'print a JSON object')
    .action(async (dir: string, options: CheckpointResetOptions) => {
      const target = targetOf(command, options)
      if (!options.yes && !context.ask) command.error('error: there is no terminal for the question: give --yes')
      await reset(target, dir, options, context)
    })
  addQueueOptions(command)
  addExample(command, `connector checkpoint reset examples/python-clock --to '{"number":17}' --yes`)
}

function targetOf(command: Command, { to, start, keepRecords }: CheckpointResetOptions): ResetTarget {
  if ((to === undefined) === (start === undefined)) command.error('error: give either --to or --start, and not both')
  if (keepRecords && !start) command.error('error: --keep-records needs --start')
  return start ? { at: 'start', keepRecords: keepRecords ?? false } : { at: 'checkpoint', position: to }
}

async function reset(
  target: ResetTarget,
  dir: string,
  options: CheckpointResetOptions,
  called: CommandContext,
): Promise<void> {
  const context = await withEnvFile(dir, called)
  noteEnvFile(context)
  const { output, note, ask } = context
  const { writerId, project } = await connectorWriter(dir, options, context)
  if (!options.yes && ask) {
    note(`${writerId}: ${effectOf(target)}\nA run that is active now ends at its next commit, with exit code 76.`)
    if ((await ask('Type yes to reset it: ')) !== 'yes') return note('Nothing was changed.')
  }
  await useExistingQueue(options, context, async (queue) => {
    checkProject(await readRegistry(queue), project.manifest)
    const { resetCheckpoint } = await import('@headrace/sdk')
    const { log } = context.startLogging()
    const summary = await resetCheckpoint({ queue, writerId, target, log })
    await output.write(
      options.json
        ? jsonLine({ writer: writerId, ...summary, unit: `${summary.unit}` })
        : formatSummary(writerId, summary),
    )
  })
}

function effectOf(target: ResetTarget): string {
  if (target.at === 'checkpoint')
    return 'all records after that checkpoint are reverted, as in a reorganisation. The next run publishes them again.'
  if (target.keepRecords)
    return 'no record is reverted. The next run publishes all of them again: readers get them twice.'
  return 'all records are reverted, as in a reorganisation. The next run publishes them again.'
}

function formatSummary(writer: string, { unit, units, records }: ResetSummary): string {
  return `${writer} is reset by unit ${unit}, which reverts ${count(units, 'unit')} with ${count(records, 'record')}.\n`
}
