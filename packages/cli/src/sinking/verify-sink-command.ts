import { type SinkFinding, verifySink } from '@headrace/sink'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import { exitCodes } from '../exit-code.ts'
import type { QueueOptions } from '../options/queue-options.ts'
import type { SinkOptions } from '../options/sink-options.ts'
import { printResult, type Results } from '../output/result.ts'
import { count } from '../output/table.ts'
import { loadSink } from './load-sink.ts'
import { withSinkClient } from './run-sink-command.ts'

export interface VerifySinkOptions extends SinkOptions, QueueOptions {
  readonly json?: true
}

export async function* verifySinkCommand(
  destination: string,
  options: VerifySinkOptions,
  baseContext: CommandContext,
): Results {
  const context = await withEnvFile('.', baseContext)
  const sink = await loadSink(destination, options, context.environment)
  const signal = context.shutdownSignal()
  const { log } = context.startLogging()
  const topics = options.topic.map(({ topic }) => topic)
  const summary = await withSinkClient(options, context, (client) =>
    verifySink({
      ...{ sink, name: options.name, client, topics, signal, log },
      onFinding(finding) {
        const result = { json: () => [findingJson(finding)], text: () => formatFinding(finding) }
        return printResult(result, options, context.output)
      },
    }),
  )
  const { records, older, findings, notStarted } = summary
  if (findings > 0 || notStarted.length > 0) context.exitWith(exitCodes.mistake)
  const result = findings === 0 ? 'No problems' : count(findings, 'finding')
  const notes = [
    `${result}: ${count(records, 'canonical record')} up to the cursor of the sink.`,
    ...(older > 0 ? [`${count(older, 'row')} older than the topic were not compared.`] : []),
    ...notStarted.map((topic) => `The sink has not applied anything of ${topic} yet.`),
  ]
  yield { json: () => [{ summary: { destination: sink.kind, ...summary } }], text: () => `${notes.join(' ')}\n` }
}

function findingJson({ seq, ...finding }: SinkFinding): object {
  return { ...finding, seq: `${seq}` }
}

function formatFinding({ code, topic, partition, seq, message, expected, found }: SinkFinding): string {
  const values =
    code === 'row_differs' ? `  expected: ${JSON.stringify(expected)}\n  found:    ${JSON.stringify(found)}\n` : ''
  return `error: ${topic} partition ${partition} seq ${seq}: ${message} (${code})\n${values}`
}
