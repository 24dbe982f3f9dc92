import { UserError } from '@headrace/queue'
import type { Connector } from '../../connector/connector.ts'
import type { Schema } from '../../connector/schema.ts'
import type { Source } from '../../connector/source.ts'
import type { Unit } from '../../connector/unit.ts'
import { settledWithin } from '../settled-within.ts'

/** What came of asking the source for its next unit. */
export type Step =
  | { readonly kind: 'unit'; readonly unit: Unit<Schema, unknown> }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'interrupted' }

/** One call of a connector's `read`. */
export interface SourceSession {
  /**
   * The next unit, or why there is none. `interrupted` for ever once it was, and when `signal` is aborted; `failed` also
   * where a listener of commits has thrown.
   */
  next(): Promise<Step>
  /** What `next` gives from now on; `undefined` while that is up to the source. */
  readonly over: Step | undefined
  interrupt(): void
  /** Says that as many more of its units are committed. */
  committed(units: number): void
  /** Aborts the signal that the source has and ends it. Resolves after `graceMs` even if the source goes on. */
  close(graceMs: number): Promise<void>
}

/** What `read` is given, but for what belongs to one call of it. */
export type SessionSource = Omit<Source<Schema, unknown>, 'onCommit'>

/** Calls `read`. Where `read` itself throws, the first step says so. */
export function openSourceSession(connector: Connector<Schema, unknown>, source: SessionSource): SourceSession {
  const controller = new AbortController()
  const signal = AbortSignal.any([source.signal, controller.signal])
  let over: Step | undefined = source.signal.aborted ? { kind: 'interrupted' } : undefined
  let wake: ((step: Step) => void) | undefined
  const end = (step: Step): void => {
    over ??= step
    wake?.(over)
  }
  const interrupt = (): void => end({ kind: 'interrupted' })
  source.signal.addEventListener('abort', interrupt, { once: true })
  const listeners: ((units: number) => void)[] = []
  const onCommit = (listener: (units: number) => void): unknown => listeners.push(listener)
  let committed = 0
  let units: AsyncIterator<Unit<Schema, unknown>> | undefined

  return {
    next() {
      if (over) return Promise.resolve(over)
      return new Promise((resolve) => {
        wake = resolve
        const asked = ask(() => (units ??= readUnits(connector, { ...source, signal, onCommit })))
        asked.then(resolve)
      })
    },
    get over() {
      return over
    },
    interrupt,
    committed(units) {
      committed += units
      try {
        for (const listener of listeners) listener(committed)
      } catch (error) {
        end({ kind: 'failed', error })
      }
    },
    async close(graceMs) {
      source.signal.removeEventListener('abort', interrupt)
      interrupt()
      controller.abort()
      // What a source throws while it is being ended is of no consequence: nothing it yields is taken any more.
      const ended = async (): Promise<unknown> => units?.return?.()
      if (!(await settledWithin(ended(), graceMs))) source.log.warn({ graceMs }, 'source left behind')
    },
  }
}

async function ask(units: () => AsyncIterator<Unit<Schema, unknown>>): Promise<Step> {
  try {
    const { done, value } = await units().next()
    return done ? { kind: 'ended' } : { kind: 'unit', unit: value }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

function readUnits(
  connector: Connector<Schema, unknown>,
  source: Source<Schema, unknown>,
): AsyncIterator<Unit<Schema, unknown>> {
  const units = connector.read(source)
  if (typeof units?.next === 'function') return units
  throw new UserError('invalid_connector', "The connector's read gives no units. Make it a generator: async *read(…).")
}
