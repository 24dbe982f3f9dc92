import { AssertionError } from 'node:assert'
import type { Queue } from '@headrace/queue'
import { type Logger, pino } from 'pino'
import type { AnyUnit, Connector, Source } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'

export interface ReadUnitsOptions<S extends Schema, C> {
  readonly config: S['config']
  /** Checkpoints of units published before, newest first. Default: none. */
  readonly history?: readonly C[]
  readonly signal?: AbortSignal
  readonly log?: Logger
  /** For connectors that read topics. */
  readonly queue?: Queue
  readonly descriptor?: NonNullable<Source['descriptor']>
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
export async function* readUnits<S extends Schema, C, U extends AnyUnit<S, C>>(
  connector: Connector<S, C, U>,
  options: ReadUnitsOptions<S, C>,
): AsyncGenerator<U, void, undefined> {
  const { config, signal, log, queue, descriptor, onProgress } = options
  const left = new AbortController()
  const canonical: AnyUnit<S, C>[] = (options.history ?? []).map((checkpoint) => ({ checkpoint })).reverse()
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
    ...(descriptor && { descriptor }),
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
export function canonicalUnits<U extends AnyUnit>(units: Iterable<U>): U[] {
  const canonical: U[] = []
  for (const unit of units) addUnit(canonical, unit)
  return canonical
}

function addUnit<U extends AnyUnit>(canonical: U[], unit: U): void {
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
