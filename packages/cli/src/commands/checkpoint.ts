import { type Checkpoint, checkProject, readRegistry, resolveTopics } from '@headrace/catalog'
import type { ResetSummary, ResetTarget } from '@headrace/sdk'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { jsonOption } from '../options/parse-option.ts'
import { addQueueOptions, openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import { addProjectOptions, loadConfiguredProject, type SettingsOptions } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'
import { count, formatFacts, formatTable } from '../output/table.ts'

export function addCheckpointCommands(program: Command, context: CommandContext): void {
  const checkpoint = program.command('checkpoint').description('show or reset the checkpoint of a connector')
  addShowCommand(checkpoint, context)
  addResetCommand(checkpoint, context)
}

interface ShowOptions extends QueueOptions, SettingsOptions {
  readonly history?: true
}

function addShowCommand(checkpoint: Command, context: CommandContext): void {
  const command = checkpoint.command('show').description('show the checkpoint of a connector')
  addProjectOptions(command).option(
    '--history',
    'list the checkpoints that the connector can be reset to, newest first',
  )
  addResultAction(command, 'print a JSON object; with --history one per checkpoint', context, show)
  addQueueOptions(command)
  addExample(command, 'connector checkpoint show examples/python-clock')
}

async function* show(dir: string, options: ShowOptions, baseContext: CommandContext): Results {
  const { context, writer } = await loadWriter(dir, options, baseContext)
  await using queue = await openExistingQueue(options, context)
  const { readCheckpoints } = await import('@headrace/sdk')
  const { newest, history } = await readCheckpoints(queue, writer)
  const list = history.map(({ unit, position }) => ({ unit: `${unit}`, position }))
  if (options.history)
    yield {
      json: () => list,
      text: () => [['UNIT', 'CHECKPOINT'], ...list.map(({ unit, position }) => [unit, JSON.stringify(position)])],
    }
  else
    yield {
      json: () => [{ writer, checkpoint: newest ? checkpointJson(newest) : null }],
      text: () => (newest ? formatCheckpoint(writer, newest) : `${writer} has published nothing.\n`),
    }
}

async function loadWriter(dir: string, options: SettingsOptions, baseContext: CommandContext) {
  const loaded = await loadConfiguredProject(dir, options, baseContext)
  return { ...loaded, writer: resolveTopics(loaded.project, loaded.settings, options.instance).writerId }
}

/** As over REST, numbers of units and records are text. */
export function checkpointJson({ unit, previous, nextSeq, final, time, ...position }: Checkpoint): object {
  return {
    ...position,
    unit: `${unit}`,
    previous: previous === null ? null : `${previous}`,
    nextSeq: mapLists(nextSeq, String),
    final: final && { unit: `${final.unit}`, nextSeq: mapLists(final.nextSeq, String) },
    // 0: nothing has been published to the partition.
    time: mapLists(time, (ms) => (ms > 0 ? new Date(ms).toISOString() : null)),
  }
}

function mapLists<T>(lists: Readonly<Record<string, readonly number[]>>, map: (number: number) => T): object {
  return Object.fromEntries(Object.entries(lists).map(([topic, list]) => [topic, list.map(map)]))
}

function formatCheckpoint(writer: string, { unit, position, fromStart, final, nextSeq, time }: Checkpoint): string {
  const facts = formatFacts({
    writer,
    unit: `${unit}`,
    checkpoint: fromStart ? 'none: the next run begins at the start of the source' : JSON.stringify(position),
    final: final ? `unit ${final.unit}` : 'none',
  })
  const rows = Object.entries(nextSeq).flatMap(([topic, seqs]) =>
    seqs.map((seq, partition) => {
      const newestMs = time[topic]?.[partition]
      return [topic, `${partition}`, `${seq}`, newestMs ? new Date(newestMs).toISOString() : '–']
    }),
  )
  return `${facts}\n${formatTable([['TOPIC', 'PARTITION', 'NEXT SEQ', 'NEWEST'], ...rows])}`
}

interface ResetOptions extends QueueOptions, SettingsOptions {
  readonly to?: unknown
  readonly start?: true
  readonly keepRecords?: true
  readonly yes?: true
}

function addResetCommand(checkpoint: Command, context: CommandContext): void {
  const command = checkpoint
    .command('reset')
    .description('make a connector continue from an older checkpoint, or from the start of its source')
  addProjectOptions(command)
    .option('--to <json>', 'one of the checkpoints that "connector checkpoint show --history" lists', jsonOption)
    .option('--start', 'go back to the start of the source')
    .option('--keep-records', 'with --start: revert nothing, so that records are published twice')
    .option('--yes', 'do not ask for confirmation')
    .hook('preAction', (command) => checkResetOptions(command, context))
  addResultAction(command, 'print a JSON object', context, reset)
  addQueueOptions(command)
  addExample(command, `connector checkpoint reset examples/python-clock --to '{"number":17}' --yes`)
}

function checkResetOptions(command: Command, context: CommandContext): void {
  const { to, start, keepRecords, yes } = command.opts<ResetOptions>()
  if ((to === undefined) === (start === undefined)) command.error('error: give either --to or --start, and not both')
  if (keepRecords && !start) command.error('error: --keep-records needs --start')
  if (!yes && !context.ask) command.error('error: there is no terminal for the question: give --yes')
}

async function* reset(dir: string, options: ResetOptions, baseContext: CommandContext): Results {
  const { to, start, keepRecords = false } = options
  const target: ResetTarget = start ? { at: 'start', keepRecords } : { at: 'checkpoint', position: to }
  const { context, project, writer } = await loadWriter(dir, options, baseContext)
  if (!options.yes && !(await isConfirmed(writer, target, context))) return
  await using queue = await openExistingQueue(options, context)
  checkProject(await readRegistry(queue), project.manifest)
  const { resetCheckpoint } = await import('@headrace/sdk')
  const { log } = context.startLogging()
  const summary = await resetCheckpoint({ queue, writerId: writer, target, log })
  yield {
    json: () => [{ writer, ...summary, unit: `${summary.unit}` }],
    text: () => formatSummary(writer, summary),
  }
}

async function isConfirmed(writer: string, target: ResetTarget, { ask, note }: CommandContext): Promise<boolean> {
  note(`${writer}: ${effectOf(target)}\nA run that is active now ends at its next commit, with exit code 76.`)
  if ((await ask?.('Type yes to reset it: ')) === 'yes') return true
  note('Nothing was changed.')
  return false
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
