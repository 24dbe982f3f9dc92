import type { Checkpoint } from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { addSettingsOptions, type SettingsOptions } from '../options/settings-options.ts'
import { checkpointJson } from '../output/checkpoint-json.ts'
import { jsonLine } from '../output/json-line.ts'
import { formatFacts, formatTable } from '../output/table.ts'
import { connectorWriter } from '../project/connector-writer.ts'

interface CheckpointShowOptions extends QueueOptions, SettingsOptions {
  readonly history?: true
  readonly json?: true
}

export function addCheckpointShowCommand(checkpoint: Command, context: CommandContext): void {
  const command = checkpoint.command('show').description('show the checkpoint of a connector')
  addSettingsOptions(addFolderArgument(command))
    .option('--history', 'list the checkpoints that the connector can be reset to, newest first')
    .option('--json', 'print a JSON object; with --history one per checkpoint')
    .action((dir: string, options: CheckpointShowOptions) => show(dir, options, context))
  addQueueOptions(command)
  addExample(command, 'connector checkpoint show examples/python-clock')
}

async function show(dir: string, options: CheckpointShowOptions, called: CommandContext): Promise<void> {
  const context = await withEnvFile(dir, called)
  noteEnvFile(context)
  const { writerId: writer } = await connectorWriter(dir, options, context)
  await useExistingQueue(options, context, async (queue) => {
    const { readCheckpoints } = await import('@headrace/sdk')
    const { newest, history } = await readCheckpoints(queue, writer)
    if (options.history) await context.output.write(formatHistory(history, options.json ?? false))
    else if (options.json)
      await context.output.write(jsonLine({ writer, checkpoint: newest ? checkpointJson(newest) : null }))
    else await context.output.write(newest ? formatCheckpoint(writer, newest) : `${writer} has published nothing.\n`)
  })
}

function formatHistory(history: readonly Checkpoint[], json: boolean): string {
  if (json) return history.map(({ unit, position }) => jsonLine({ unit: `${unit}`, position })).join('')
  return formatTable([
    ['UNIT', 'CHECKPOINT'],
    ...history.map(({ unit, position }) => [`${unit}`, JSON.stringify(position)]),
  ])
}

function formatCheckpoint(writer: string, { unit, position, fromStart, final, nextSeq, time }: Checkpoint): string {
  const facts = formatFacts({
    writer,
    unit: `${unit}`,
    checkpoint: fromStart ? 'none: the next run begins at the start of the source' : JSON.stringify(position),
    final: final ? `unit ${final.unit}` : 'none',
  })
  const rows = Object.entries(nextSeq).flatMap(([topic, seqs]) =>
    seqs.map((seq, partition) => [topic, `${partition}`, `${seq}`, formatTime(time[topic]?.[partition])]),
  )
  return `${facts}\n${formatTable([['TOPIC', 'PARTITION', 'NEXT SEQ', 'NEWEST'], ...rows])}`
}

function formatTime(timeMs: number | undefined): string {
  return timeMs ? new Date(timeMs).toISOString() : '–'
}
