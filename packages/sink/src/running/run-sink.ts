import { setTimeout as delay } from 'node:timers/promises'
import { type Logger, RetryableError } from '@headrace/queue'
import type { Destination, SinkDefinition, SinkTopic } from '../destination/destination.ts'
import { convertClientError } from '../errors.ts'
import { describeTopic } from '../field/sink-topic.ts'
import { hasReachedHead } from './heads.ts'
import { joinBatches, type SinkClient } from './read-batches.ts'
import { checkFields } from './schema-changes.ts'
import { countBatch, createSinkMeter, lagBehind, type SinkMeter } from './sink-meter.ts'

export interface RunSinkOptions {
  readonly sink: SinkDefinition
  /** 1–64 characters. A destination may have several sinks, with different names. Default `headrace`. */
  readonly name?: string
  readonly client: SinkClient
  /** Full names, 1 to 100. */
  readonly topics: readonly string[]
  /** `head`: ends once everything is applied that was published before the start. Default: runs until it is aborted. */
  readonly until?: 'head'
  /** In ms, from the first failure in a row. Default 5 minutes. */
  readonly retryForMs?: number
  readonly signal: AbortSignal
  readonly log: Logger
  /** Counts what is applied. */
  readonly meter?: SinkMeter
}

export interface SinkSummary {
  readonly records: number
  readonly reverts: number
  readonly reason: 'stopped' | 'reached_head'
}

/**
 * Keeps a destination equal to topics: reads from the cursors that are stored there, and applies what follows. Resolves
 * when the signal is aborted, after the current batch.
 *
 * @throws {UserError} a topic or a value that the destination cannot store, or one of its errors or of the gateway.
 * @throws {RetryableError} the destination or the gateway failed for longer than `retryForMs`.
 */
export async function runSink(options: RunSinkOptions): Promise<SinkSummary> {
  const { signal, log, retryForMs = 300_000, meter = createSinkMeter() } = options
  const heads: Heads = new Map()
  let failing: { readonly since: number; readonly cursors: string; attempts: number } | undefined
  for (;;) {
    try {
      await runOnce({ ...options, meter, heads })
      return { records: meter.records, reverts: meter.reverts, reason: signal.aborted ? 'stopped' : 'reached_head' }
    } catch (thrown) {
      if (signal.aborted) return { records: meter.records, reverts: meter.reverts, reason: 'stopped' }
      const error = convertClientError(thrown)
      // A destination may have stored a part of a batch.
      const cursors = [...meter.cursors.values()].join()
      if (failing?.cursors !== cursors) failing = { since: performance.now(), cursors, attempts: 0 }
      const retryInMs = Math.random() * Math.min(30_000, 500 * 2 ** failing.attempts++)
      // The client has tried again itself.
      const isFinal = !(error instanceof RetryableError) || error.code === 'gateway_unavailable'
      if (isFinal || performance.now() + retryInMs > failing.since + retryForMs) throw error
      meter.retries++
      meter.state = 'retrying'
      log.warn({ code: error.code, error: error.message, retryInMs: Math.round(retryInMs) }, 'sink failed')
      await delay(retryInMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** The heads of topics at the start that are not reached yet. Empty unless the run ends at them. */
type Heads = Map<string, string>

type Run = RunSinkOptions & { readonly meter: SinkMeter; readonly heads: Heads }

async function runOnce(run: Run): Promise<void> {
  const { sink, name = 'headrace', log, meter } = run
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  const topics = await Promise.all(run.topics.map((topic) => describe(run, topic)))
  const destination = await sink.open({ name, topics, readOnly: false, log, signal })
  try {
    await destination.prepare()
    const from = await readCursors(destination, topics)
    log.info({ sink: name, topics: run.topics, resumed: Object.keys(from) }, 'sink started')
    for (const [topic, cursor] of Object.entries(from)) meter.cursors.set(topic, cursor)
    meter.state = 'running'
    void watchLag(run, signal)
    if (isDone(run, from)) return
    for await (const batch of joinBatches(run.client.follow({ topics: run.topics, from, signal }), sink.batchRecords)) {
      checkFields(topics, batch)
      await destination.apply(batch)
      countBatch(meter, batch)
      if (isDone(run, { [batch.topic]: batch.cursor })) return
    }
  } finally {
    stop.abort()
    await destination.close()
  }
}

async function describe({ client, signal, heads, meter }: Run, name: string): Promise<SinkTopic> {
  const { topic, headCursor } = await describeTopic(client, name, signal)
  if (meter.batches === 0 && meter.retries === 0) heads.set(name, headCursor)
  return topic
}

function isDone({ until, heads }: Run, cursors: Readonly<Record<string, string>>): boolean {
  if (until !== 'head') return false
  for (const [topic, head] of heads) if (hasReachedHead(cursors[topic], head)) heads.delete(topic)
  return heads.size === 0
}

async function readCursors(destination: Destination, topics: readonly SinkTopic[]): Promise<Record<string, string>> {
  const cursors: Record<string, string> = {}
  for (const { topic } of topics) {
    const cursor = await destination.readCursor(topic)
    if (cursor !== undefined) cursors[topic] = cursor
  }
  return cursors
}

/** In ms. */
const lagEveryMs = 5000

/** A gateway that does not answer is reported by reading. */
async function watchLag({ client, meter, topics }: Run, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const topic of topics) {
      const found = await client.topic(topic, { signal }).catch(() => undefined)
      if (found) meter.lag.set(topic, lagBehind(found.headCursor, meter.cursors.get(topic)))
    }
    await delay(lagEveryMs, undefined, { signal, ref: false }).catch(() => {})
  }
}
