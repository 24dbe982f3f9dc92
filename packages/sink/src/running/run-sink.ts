import { setTimeout as delay } from 'node:timers/promises'
import { type Logger, RetryableError } from '@headrace/queue'
import { applyDurably } from '../destination/apply-durably.ts'
import type { Destination, SinkBatch, SinkDefinition, SinkTopic } from '../destination/destination.ts'
import { convertClientError } from '../errors.ts'
import { describeTopic } from '../field/sink-topic.ts'
import { applyBatches } from './apply-batches.ts'
import { hasReachedHead } from './heads.ts'
import { joinBatches, type SinkClient } from './read-batches.ts'
import { type Finality, finalCursor, readFinal } from './read-final.ts'
import { checkFields } from './schema-changes.ts'
import { countApplied, createSinkMeter, lagBehind, type SinkMeter } from './sink-meter.ts'

export interface RunSinkOptions {
  readonly sink: SinkDefinition
  /** 1–64 characters. A destination may have several sinks, with different names. Default `headrace`. */
  readonly name?: string
  readonly client: SinkClient
  /** Full names, 1 to 100. */
  readonly topics: readonly string[]
  /**
   * `head`: ends once everything is applied that was published, or final, before the start. Default: runs until it is
   * aborted.
   */
  readonly until?: 'head'
  /** Of a sink that gets final records only. Default `declared`. */
  readonly finality?: Finality
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
  const { sink, name = 'headrace', signal, log, retryForMs = 300_000, meter = createSinkMeter() } = options
  meter.sink = { name, kind: sink.kind, records: sink.records }
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
    if (sink.records === 'canonical') await fixStarts(run, destination, from)
    await applyBatches({
      ...{ batches: joinBatches(read(run, from, signal), sink.batchRecords), destination, signal: run.signal },
      check: (batch) => checkFields(topics, batch),
      isLast: ({ topic, cursor }) => isDone(run, { [topic]: cursor }),
      onDurable: (applied) => countApplied(meter, applied),
      onUnflushed: ({ message }) => log.warn({ sink: name, error: message }, 'the last records were not stored'),
    })
  } finally {
    stop.abort()
    await destination.close()
  }
}

function read(run: Run, from: Readonly<Record<string, string>>, signal: AbortSignal): AsyncIterable<SinkBatch>[] {
  const { client, topics, sink, finality = 'declared' } = run
  if (sink.records === 'canonical') return [client.follow({ topics, from, signal })]
  return readFinal({ client, topics, from, finality, log: run.log, signal })
}

async function describe(run: Run, name: string): Promise<SinkTopic> {
  const { client, signal, heads, meter } = run
  const { topic, headCursor } = await describeTopic(client, name, signal)
  if (meter.batches === 0 && meter.retries === 0) heads.set(name, await headOf(run, name, headCursor))
  return topic
}

async function headOf(
  { client, sink, finality = 'declared', signal }: Run,
  topic: string,
  headCursor: string,
): Promise<string> {
  if (sink.records === 'canonical') return headCursor
  return (await finalCursor({ client, finality, signal }, topic)) ?? headCursor
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

/**
 * Stores a first cursor for each topic that has none. It fixes the head of the canonical view. Otherwise a record that a
 * destination passes on before a crash could be reverted before the next run, whose view would then have neither the
 * record nor its revert.
 */
async function fixStarts(run: Run, destination: Destination, cursors: Record<string, string>): Promise<void> {
  for (const topic of run.topics) {
    if (cursors[topic] !== undefined) continue
    // One empty page.
    const pages = run.client.history({ topic, from: 'earliest', to: 'earliest', signal: run.signal })
    for await (const { cursor } of pages) cursors[topic] = cursor
    await applyDurably(destination, { topic, records: [], cursor: cursors[topic]! })
  }
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
