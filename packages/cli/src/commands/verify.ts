import type { UnitChoice, VerifyFinding, VerifySummary } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import { integerOption } from '../options/parse-option.ts'
import { addQueueOptions, openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import { addProjectOptions, loadConfiguredProject, type SettingsOptions } from '../options/settings-options.ts'
import { addSinkOptions, checkTopics, type SinkOptions } from '../options/sink-options.ts'
import { addExample, addResultAction, printResult, type Results } from '../output/result.ts'
import { count } from '../output/table.ts'
import { loadConnector } from '../project/load-connector.ts'

interface VerifyCommandOptions extends QueueOptions, SettingsOptions, SinkOptions {
  readonly sink?: string
  readonly source?: true
  readonly sample: number
  readonly full?: true
  readonly offline?: true
  readonly json?: true
}

export function addVerifyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('verify')
    .description('check the records that a connector has published, and compare them with its source')
  addProjectOptions(command)
    .option(
      '--sample <count>',
      'number of random units to compare with the source, besides the first and the last',
      integerOption(0),
      100,
    )
    .addOption(new Option('--full', 'compare every unit with the source').conflicts('sample'))
    .addOption(
      new Option('--offline', 'compare no unit with the source: check the topics only').conflicts(['sample', 'full']),
    )
  addSinkOptions(
    command.option(
      '--sink <destination>',
      'compare what a sink has stored with the topics, instead of with the source',
    ),
  ).option('--source', 'with --sink: compare the topics with the source, too')
  command.hook('preAction', () => {
    const options = command.opts<VerifyCommandOptions>()
    if (options.sink !== undefined) checkTopics(command, options)
    else if (options.source || options.topic.length > 0) command.error('error: --source and --topic need --sink')
  })
  addResultAction(command, 'print one JSON object per finding, then one with a summary', context, verify)
  addQueueOptions(command)
  addExample(command, 'connector verify examples/evm --set rpc=http://127.0.0.1:8545 --queue embedded:.headrace --full')
}

async function* verify(dir: string, options: VerifyCommandOptions, context: CommandContext): Results {
  if (options.sink !== undefined) {
    const { verifySinkCommand } = await import('../sinking/verify-sink-command.ts')
    yield* verifySinkCommand(options.sink, options, context)
  }
  if (options.sink === undefined || options.source) yield* verifyProject(dir, options, context)
}

async function* verifyProject(dir: string, options: VerifyCommandOptions, baseContext: CommandContext): Results {
  const { instance } = options
  const { context, project, settings } = await loadConfiguredProject(dir, options, baseContext)
  const connector = await loadConnector(project, true)
  const comparable = connector.verify !== undefined
  const { log, status } = context.startLogging()
  await using queue = await openExistingQueue(options, context)
  if (!comparable && !options.offline) yield { json: () => [], text: () => notCompared }
  const { verifyConnector } = await import('@headrace/sdk')
  const ended = new AbortController()
  const summary = await verifyConnector({
    ...{ connector, project, settings, instance, queue, log, signal: ended.signal, compare: choiceOf(options) },
    onFinding(finding) {
      status?.clear()
      const result = { json: () => [findingJson(finding)], text: () => formatFinding(finding) }
      return printResult(result, options, context.output)
    },
    onProgress: (done) => status?.show(`${Math.floor(done * 100)} % read`),
  }).finally(() => {
    status?.clear()
    ended.abort()
  })
  if (summary.findings > 0) context.exitWith(exitCodes.mistake)
  yield {
    json: () => [{ summary: { ...summaryJson(summary), comparable } }],
    text: () => formatSummary(summary, comparable),
  }
}

const notCompared =
  'Records are not compared with the source: this connector has no "verify". Only the topics are checked, for records ' +
  'that are missing, doubled, reordered or damaged. Wrong values are not found.\n'

function choiceOf({ offline, full, sample }: VerifyCommandOptions): UnitChoice {
  if (offline) return 'none'
  return full ? 'all' : { sample }
}

function findingJson({ seq, unit, ...finding }: VerifyFinding): object {
  return { ...finding, ...(seq !== undefined && { seq: `${seq}` }), ...(unit !== undefined && { unit: `${unit}` }) }
}

function summaryJson({ firstUnit, lastUnit, ...counts }: VerifySummary): object {
  return { firstUnit: `${firstUnit}`, lastUnit: `${lastUnit}`, ...counts }
}

function formatFinding({ code, message, expected, found, ...place }: VerifyFinding): string {
  const lines = [`error: ${formatPlace(place)}: ${message} (${code})`]
  if (expected !== undefined) lines.push(`  expected: ${JSON.stringify(expected)}`)
  if (found !== undefined) lines.push(`  found:    ${JSON.stringify(found)}`)
  return `${lines.join('\n')}\n`
}

function formatPlace({ topic, partition, offset, seq, unit, source }: Omit<VerifyFinding, 'code' | 'message'>): string {
  const numbers = { partition, offset, seq, unit, ...source }
  const parts = Object.entries(numbers).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
  return [...(topic === undefined ? [] : [topic]), ...parts].join(' ') || 'checkpoint'
}

function formatSummary(summary: VerifySummary, comparable: boolean): string {
  const { units, records, compared, findings, firstUnit, lastUnit } = summary
  const source = comparable ? `${compared} of them compared with the source` : 'none of them compared with the source'
  const result = findings === 0 ? 'No problems' : count(findings, 'finding')
  const checked = `${result}: ${count(records, 'record')} up to unit ${lastUnit}`
  if (firstUnit > lastUnit) return `${checked}. No unit is complete: none was checked or compared with the source.\n`
  const from = firstUnit > 1 ? ` from unit ${firstUnit} on` : ''
  return `${checked}; ${count(units, 'unit')} ${units === 1 ? 'is' : 'are'} current${from}, ${source}.\n`
}
