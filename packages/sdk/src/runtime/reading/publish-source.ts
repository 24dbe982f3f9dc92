import { RetryableError, UserError } from '@headrace/queue'
import type { Connector, Source, Unit } from '../../connector/connector.ts'
import { SourceFailedError } from '../../errors.ts'
import type { Publisher } from '../grouping/publisher.ts'
import { type RunMeter, timed } from '../metrics/run-meter.ts'
import type { Retry } from '../retry.ts'
import { settledWithin } from '../settled.ts'
import { createFetchTraces } from '../trace/fetch-traces.ts'
import type { Step } from './step.ts'

export interface PublishSourceOptions {
  readonly connector: Connector
  readonly source: SessionSource
  readonly publisher: Publisher
  readonly meter: RunMeter
  readonly retry: Retry
  readonly graceMs: number
  onSession(session: SourceSession): void
}

/**
 * Publishes what a source yields until it ends or its signal is aborted. When `read` throws, it is called again after a
 * pause, until the budget is spent. A `UserError` is thrown at once.
 */
export async function publishSource(options: PublishSourceOptions): Promise<'ended' | 'stopped'> {
  const { connector, source, publisher, meter, retry } = options
  for (;;) {
    const session = openSourceSession(connector, source)
    options.onSession(session)
    let end: SessionEnd
    try {
      end = await publishSession(session, publisher, meter)
    } finally {
      await session.close(options.graceMs)
    }
    if (end.kind === 'ended') return 'ended'
    if (end.kind === 'interrupted' || source.signal.aborted) return 'stopped'
    if (end.error instanceof UserError) throw end.error
    meter.failing.read = true
    const again = await retry.wait((next) => source.log.error({ err: end.error, ...next }, 'read failed'))
    meter.failing.read = false
    if (again) {
      meter.retries.read++
      continue
    }
    throw end.error instanceof RetryableError ? end.error : new SourceFailedError(retry.budgetMs, end.error)
  }
}

type SessionEnd = Exclude<Step, { readonly kind: 'unit' }>

async function publishSession(session: SourceSession, publisher: Publisher, meter: RunMeter): Promise<SessionEnd> {
  const traces = createFetchTraces()
  const next = (): Promise<Step> => timed(meter, 'fetch', traces.next(session.next))
  let step: Step
  try {
    for (step = await next(); step.kind === 'unit'; step = await next())
      await publisher.publish(step.unit, traces.parent)
  } finally {
    await publisher.settled()
  }
  // A commit listener may have thrown during the last commit.
  return session.endedWith?.kind === 'failed' ? session.endedWith : step
}

export interface SourceSession {
  /** After an interruption or an error of a commit listener it returns the same step each time. */
  next(): Promise<Step>
  readonly endedWith: Step | undefined
  interrupt(): void
  committed(units: number): void
  /** Aborts the source's signal. Resolves when the source has ended, or after `graceMs`. */
  close(graceMs: number): Promise<void>
}

export type SessionSource = Omit<Source, 'onCommit'>

export function openSourceSession(connector: Connector, source: SessionSource): SourceSession {
  const controller = new AbortController()
  const signal = AbortSignal.any([source.signal, controller.signal])
  let endedWith: Step | undefined = source.signal.aborted ? { kind: 'interrupted' } : undefined
  let resolveNext: ((step: Step) => void) | undefined
  const end = (step: Step): void => {
    endedWith ??= step
    resolveNext?.(endedWith)
  }
  const interrupt = (): void => end({ kind: 'interrupted' })
  source.signal.addEventListener('abort', interrupt, { once: true })
  const listeners: ((units: number) => void)[] = []
  const onCommit = (listener: (units: number) => void): unknown => listeners.push(listener)
  let committed = 0
  let units: AsyncIterator<Unit> | undefined

  async function requestNext(): Promise<Step> {
    try {
      units ??= readUnits(connector, { ...source, signal, onCommit })
      const { done, value } = await units.next()
      return done ? { kind: 'ended' } : { kind: 'unit', unit: value }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  return {
    next() {
      if (endedWith) return Promise.resolve(endedWith)
      return new Promise((resolve) => {
        resolveNext = resolve
        requestNext().then(resolve)
      })
    },
    get endedWith() {
      return endedWith
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
      // No more units are accepted, so errors are ignored.
      const ended = async (): Promise<unknown> => units?.return?.()
      if (!(await settledWithin(ended(), graceMs))) source.log.warn({ graceMs }, 'source not ended in time')
    },
  }
}

function readUnits(connector: Connector, source: Source): AsyncIterator<Unit> {
  const units = connector.read(source)
  if (typeof units?.next === 'function') return units
  throw new UserError(
    'invalid_connector',
    "The connector's read returned no generator. Declare it as one: async *read(…).",
  )
}
