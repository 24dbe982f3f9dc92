import { isDeepStrictEqual } from 'node:util'
import {
  createRecordRenderer,
  resolveTopics,
  type TopicRegistration,
  topicRegistrations,
  withCursor,
} from '@headrace/catalog'
import { HeadraceError, UserError } from '@headrace/queue'
import type { RunOptions, Schema, Unit } from '@headrace/sdk'
import type { Result } from '../output/result.ts'

export type DryRunRequest = Pick<RunOptions, 'connector' | 'project' | 'settings' | 'instance' | 'signal' | 'log'>

/** Reads the source from its start, without retries. Uses no queue. */
export async function* dryRun(request: DryRunRequest): AsyncGenerator<Result, void, undefined> {
  const { connector, project, settings, instance } = request
  const resolved = resolveTopics(project, settings, instance)
  const registrations = topicRegistrations(project, resolved.instance, resolved.topics)
  const renderers = new Map(
    registrations.map((registration) => [registration.message, createValueRenderer(registration)]),
  )
  let units = 0
  const topicMessages = new Set(registrations.map(({ message }) => message))
  for await (const unit of readUnits(request, topicMessages)) {
    const number = ++units
    yield {
      json: () => [describeUnit(number, unit, connector.schema, renderers)],
      text: () => summarize(number, unit),
    }
  }
}

async function* readUnits(
  { connector, project, settings, signal, log }: DryRunRequest,
  topicMessages: ReadonlySet<string>,
): AsyncGenerator<Unit<Schema, unknown>> {
  let history: unknown[] = []
  const units = connector.read({
    config: settings.values,
    history: () => history,
    signal,
    log,
    descriptor(message) {
      const name = connector.schema.messages[message]?.name
      return name !== undefined && topicMessages.has(name) ? project.schema.message(name) : undefined
    },
    onCommit: () => {},
    progress: () => {},
  })
  try {
    for await (const unit of units) {
      if (signal.aborted) return
      if (unit.revertTo !== undefined) history = revertHistory(history, unit.revertTo)
      history = [unit.checkpoint, ...history.slice(0, keptCheckpoints - 1)]
      yield unit
    }
  } catch (error) {
    if (!signal.aborted) throw error instanceof HeadraceError ? error : sourceFailed(error)
  }
}

function revertHistory(history: readonly unknown[], target: unknown): unknown[] {
  if (target === null) return []
  const place = history.findIndex((checkpoint) => isDeepStrictEqual(checkpoint, target))
  if (place < 0)
    throw new UserError('invalid_unit', '`revertTo` must be the checkpoint of an earlier unit, and it is not.')
  return history.slice(place)
}

function sourceFailed(cause: unknown): UserError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return new UserError('source_failed', `The connector's \`read\` failed: ${reason}`, { cause })
}

type ValueRenderer = (encoded: Uint8Array) => unknown

function createValueRenderer(registration: TopicRegistration): ValueRenderer {
  const renderer = createRecordRenderer(registration)
  return (value) => {
    const record = { topic: registration.topic, partition: 0, offset: 0n, time: 0, key: null, value, headers: [] }
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
    if (!render) throw new UserError('invalid_unit', `No topic of the manifest has the message "${name}".`)
    const encode = (message: unknown) => (message instanceof Uint8Array ? message : codec.encode(message).finish())
    return [name, list.map((message) => render(encode(message)))]
  })
  return { unit: `${number}`, ...unit, messages: Object.fromEntries(rendered) }
}

function summarize(number: number, { checkpoint, messages }: Unit<Schema, unknown>): string {
  const counts = Object.entries(messages ?? {}).map(([name, list = []]) => `${list.length} ${name}`)
  return `unit ${number}  ${JSON.stringify(checkpoint)}  ${counts.join(', ')}\n`
}

const keptCheckpoints = 8192
