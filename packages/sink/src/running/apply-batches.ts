import type { Destination, SinkBatch } from '../destination/destination.ts'

export interface ApplyOptions {
  readonly batches: AsyncIterable<SinkBatch>
  readonly destination: Destination
  /** Before a batch is applied. */
  check(batch: SinkBatch): void
  /** Whether the run ends at the batch, which was applied. */
  isLast(batch: SinkBatch): boolean
  /** What has become durable, of one topic. */
  onDurable(applied: Applied): void
  /** After it is aborted, what is held is flushed. */
  readonly signal: AbortSignal
  /** That flush has failed. What was held comes again in the next run. */
  onUnflushed(error: Error): void
}

/** One or more batches of a topic. */
export interface Applied extends Pick<SinkBatch, 'topic' | 'cursor'> {
  readonly batches: number
  /** Without reverts. */
  readonly records: number
  readonly reverts: number
}

interface Held {
  readonly since: number
  readonly applied: Applied
}

/** Applies batches until they end, and flushes what the destination holds before it is too old. */
export async function applyBatches(options: ApplyOptions): Promise<void> {
  const { destination, check, isLast, onDurable, onUnflushed, signal } = options
  const { holding } = destination
  const held = new Map<string, Held>()
  const source = options.batches[Symbol.asyncIterator]()
  let next = source.next()
  try {
    for (;;) {
      const result = await nextOrDue()
      if (result === 'due') {
        await flush(oldest()!)
        continue
      }
      if (result.done) break
      check(result.value)
      await apply(result.value)
      if (isLast(result.value)) break
      next = source.next()
    }
    await flushAll()
  } catch (error) {
    if (signal.aborted) await flushAll().catch((failure) => onUnflushed(failure as Error))
    throw error
  } finally {
    // They settle once the signal is aborted, if no records come.
    next.catch(() => {})
    source.return?.().catch(() => {})
  }

  async function nextOrDue(): Promise<IteratorResult<SinkBatch> | 'due'> {
    const topic = oldest()
    if (!holding || topic === undefined) return next
    const dueIn = held.get(topic)!.since + holding.longestMs - performance.now()
    if (dueIn <= 0) return 'due'
    const { promise, resolve } = Promise.withResolvers<'due'>()
    // A longer time would be 0.
    const timer = setTimeout(resolve, Math.min(dueIn, longestTimer), 'due')
    try {
      return await Promise.race([next, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async function apply(batch: SinkBatch): Promise<void> {
    const { topic } = batch
    const state = await destination.apply(batch)
    const before = held.get(topic)
    const applied = before ? join(before.applied, appliedOf(batch)) : appliedOf(batch)
    if (state === 'held') held.set(topic, { since: before?.since ?? performance.now(), applied })
    else settle(topic, applied)
  }

  function settle(topic: string, applied: Applied): void {
    held.delete(topic)
    onDurable(applied)
  }

  async function flush(topic: string): Promise<void> {
    await holding!.flush(topic)
    settle(topic, held.get(topic)!.applied)
  }

  async function flushAll(): Promise<void> {
    for (const topic of [...held.keys()]) await flush(topic)
  }

  /** The topic that is held longest. The first in the map: each is added once and removed when it is durable. */
  function oldest(): string | undefined {
    return held.keys().next().value
  }
}

const longestTimer = 2 ** 31 - 1

function appliedOf({ topic, cursor, records }: SinkBatch): Applied {
  const reverts = records.reduce((sum, { op }) => sum + (op === 'revert' ? 1 : 0), 0)
  return { topic, cursor, batches: 1, records: records.length - reverts, reverts }
}

function join(one: Applied, next: Applied): Applied {
  return {
    ...next,
    batches: one.batches + next.batches,
    records: one.records + next.records,
    reverts: one.reverts + next.reverts,
  }
}
