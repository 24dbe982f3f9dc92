import type { Queue } from '@headrace/queue'
import { type Logger, pino } from 'pino'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import type { Source } from '../connector/source.ts'
import type { Unit } from '../connector/unit.ts'
import { addUnit } from './standing-units.ts'

/** What a source is given in a test. */
export interface ReadUnitsOptions<S extends Schema, C> {
  /** The settings, defaults included. */
  readonly config: S['config']
  /** Checkpoints of units published before, newest first. Default: none. */
  readonly history?: readonly C[]
  readonly signal?: AbortSignal
  readonly log?: Logger
  /** For connectors that read topics. */
  readonly queue?: Queue
  onProgress?(at: number, head: number): void
}

/**
 * Reads a connector without a queue and without a runtime: yields what its `read` yields. Its history grows as in a run, and
 * each unit counts as committed when the next one is asked for. To end a source that has no end, leave the loop.
 *
 * @throws {AssertionError} a unit takes back to a checkpoint that is not in its history.
 *
 * @example
 * ```ts
 * for await (const { checkpoint, messages } of readUnits(connector, { config: { url } })) {
 *   assert.equal(messages?.Quote?.length, 10)
 *   if (checkpoint.page === 3) break
 * }
 * ```
 */
export async function* readUnits<S extends Schema, C>(
  connector: Connector<S, C>,
  options: ReadUnitsOptions<S, C>,
): AsyncGenerator<Unit<S, C>, void, undefined> {
  const { config, signal, log, queue, onProgress } = options
  const left = new AbortController()
  const standing: Unit<S, C>[] = (options.history ?? []).map((checkpoint) => ({ checkpoint })).reverse()
  const listeners: ((units: number) => void)[] = []
  let yielded = 0
  const source: Source<S, C> = {
    config,
    history: () => standing.map(({ checkpoint }) => checkpoint).reverse(),
    signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal,
    log: log ?? pino({ level: 'silent' }),
    onCommit: (listener) => listeners.push(listener),
    progress: (at, head) => onProgress?.(at, head),
    ...(queue && { queue }),
  }
  try {
    for await (const unit of connector.read(source)) {
      addUnit(standing, unit)
      yield unit
      yielded++
      for (const committed of listeners) committed(yielded)
    }
  } finally {
    left.abort()
  }
}
