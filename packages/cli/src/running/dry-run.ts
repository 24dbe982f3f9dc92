import { createRecordRenderer, type RecordRenderer, resolveTopics, withCursor } from '@headrace/catalog'
import type { RunOptions, Schema, Unit } from '@headrace/sdk'
import { jsonLine } from '../output/json-line.ts'
import type { Output } from '../output/output.ts'

/** What a dry run needs of a run. */
export type DryRunRequest = Pick<RunOptions, 'connector' | 'project' | 'settings' | 'instance' | 'signal' | 'log'>

/** Prints each unit that a connector yields from the start of its source on. It touches no queue. */
export async function printUnits(
  { connector, project, settings, instance, signal, log }: DryRunRequest,
  { output, json }: { readonly output: Output; readonly json: boolean },
): Promise<void> {
  const topics = resolveTopics(project, settings, instance).topics
  const history: unknown[] = []
  const source = { config: settings.values, history: () => history, signal, log, progress: () => {} }
  const renderers = new Map(topics.map((topic) => [topic.message, createValueRenderer(project, topic)]))
  let number = 0
  for await (const unit of connector.read(source)) {
    if (signal.aborted) return
    history.unshift(unit.checkpoint)
    if (history.length > keptCheckpoints) history.pop()
    number++
    await output.write(
      json ? jsonLine(describeUnit(number, unit, connector.schema, renderers)) : summarize(number, unit),
    )
  }
}

type ValueRenderer = (encoded: Uint8Array) => unknown

function createValueRenderer(
  project: DryRunRequest['project'],
  topic: ReturnType<typeof resolveTopics>['topics'][number],
): ValueRenderer {
  const { owner, package: name, version } = project.manifest
  const renderer: RecordRenderer = createRecordRenderer({
    topic: topic.name,
    lineage: project.lineage,
    instance: 'dry-run',
    connector: { owner, package: name, version },
    message: topic.message,
    descriptors: project.schema.descriptors,
    bytes: topic.bytes,
    partitions: topic.partitions,
  })
  return (value) => {
    const record = { topic: topic.name, partition: 0, offset: 0n, time: 0, key: null, value, headers: [] }
    return (JSON.parse(Buffer.from(withCursor(renderer.render(record), '')).toString()) as { value: unknown }).value
  }
}

function describeUnit(
  number: number,
  { messages, ...unit }: Unit<Schema, unknown>,
  schema: Schema,
  renderers: ReadonlyMap<string, ValueRenderer>,
): object {
  const rendered = Object.entries(messages ?? {}).map(([name, list = []]) => {
    const codec = schema.messages[name]
    const render = codec && renderers.get(codec.name)
    if (!render) return [name, `${list.length} messages without a topic`]
    return [name, list.map((message) => render(codec.encode(message).finish()))]
  })
  return { unit: number, ...unit, messages: Object.fromEntries(rendered) }
}

function summarize(number: number, { checkpoint, messages }: Unit<Schema, unknown>): string {
  const counts = Object.entries(messages ?? {}).map(([name, list = []]) => `${list.length} ${name}`)
  return `unit ${number}  ${JSON.stringify(checkpoint)}  ${counts.join(', ')}\n`
}

const keptCheckpoints = 8192
