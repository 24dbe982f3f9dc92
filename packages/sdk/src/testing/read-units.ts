import { AssertionError } from 'node:assert'
import type { Queue } from '@headrace/queue'
import { type Logger, pino } from 'pino'
import type { Connector, Source, Unit } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'

export interface ReadUnitsOptions<S extends Schema, C> {
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
 * Yields what a connector's `read` yields, without a queue and a runtime. Each unit counts as committed when the next
 * one is requested. To end an endless source, leave the loop.
 *
 * @throws {AssertionError} a unit reverts to a checkpoint that is not in its history.
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
  const canonical: Unit<S, C>[] = (options.history ?? []).map((checkpoint) => ({ checkpoint })).reverse()
  const listeners: ((units: number) => void)[] = []
  let yielded = 0
  const source: Source<S, C> = {
    config,
    history: () => canonical.map(({ checkpoint }) => checkpoint).reverse(),
    signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal,
    log: log ?? pino({ level: 'silent' }),
    onCommit: (listener) => listeners.push(listener),
    progress: (at, head) => onProgress?.(at, head),
    ...(queue && { queue }),
  }
  try {
    for await (const unit of connector.read(source)) {
      addUnit(canonical, unit)
      yield unit
      yielded++
      for (const committed of listeners) committed(yielded)
    }
  } finally {
    left.abort()
  }
}

/**
 * The units that no later unit reverts.
 *
 * @throws {AssertionError} a unit reverts to a checkpoint that no canonical unit has.
 */
export function canonicalUnits<S extends Schema, C>(units: Iterable<Unit<S, C>>): Unit<S, C>[] {
  const canonical: Unit<S, C>[] = []
  for (const unit of units) addUnit(canonical, unit)
  return canonical
}

function addUnit<S extends Schema, C>(canonical: Unit<S, C>[], unit: Unit<S, C>): void {
  const { revertTo } = unit
  if (revertTo !== undefined) {
    const target = JSON.stringify(revertTo)
    const kept = canonical.findLastIndex(({ checkpoint }) => JSON.stringify(checkpoint) === target) + 1
    if (kept === 0 && revertTo !== null)
      throw new AssertionError({
        message: `A unit reverts to the checkpoint ${target}, which no canonical unit has.`,
        actual: revertTo,
        expected: canonical.map(({ checkpoint }) => checkpoint),
        operator: 'includes',
      })
    canonical.splice(kept)
  }
  canonical.push(unit)
}
