import { RetryableError, UserError } from '@headrace/queue'
import type { Connector } from '../../connector/connector.ts'
import type { Schema } from '../../connector/schema.ts'
import { SourceFailedError } from '../../errors.ts'
import type { Publisher } from '../grouping/publisher.ts'
import { type RunMeter, timed } from '../metrics/run-meter.ts'
import type { Retry } from '../retry.ts'
import { openSourceSession, type SessionSource, type SourceSession, type Step } from './source-session.ts'

export interface PublishSourceOptions {
  readonly connector: Connector<Schema, unknown>
  readonly source: SessionSource
  readonly publisher: Publisher
  readonly meter: RunMeter
  /** Reset by whoever sees units committed. */
  readonly retry: Retry
  readonly retryBudgetMs: number
  readonly graceMs: number
  /** Is given each session when it is opened, to interrupt it. */
  onSession(session: SourceSession): void
}

/**
 * Publishes what a source yields until it ends or its signal is aborted. When `read` throws it is called again, after a
 * pause and from the last committed unit.
 *
 * @throws {UserError} thrown by `read`, or by what it yielded.
 * @throws {RetryableError} thrown by `read` until the budget was over.
 * @throws {SourceFailedError} any other error, thrown by `read` until the budget was over.
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
    throw end.error instanceof RetryableError ? end.error : new SourceFailedError(options.retryBudgetMs, end.error)
  }
}

type SessionEnd = Exclude<Step, { readonly kind: 'unit' }>

/** Resolves with what ended the session, when everything yielded before it is visible. */
async function publishSession(session: SourceSession, publisher: Publisher, meter: RunMeter): Promise<SessionEnd> {
  let end: SessionEnd
  try {
    end = await publishUnits(session, publisher, meter)
  } finally {
    await publisher.settled()
  }
  // A listener of commits may have failed with the last one.
  return session.over?.kind === 'failed' ? session.over : end
}

async function publishUnits(session: SourceSession, publisher: Publisher, meter: RunMeter): Promise<SessionEnd> {
  for (;;) {
    const step = await timed(meter, 'fetch', session.next())
    if (step.kind !== 'unit') return step
    await publisher.publish(step.unit)
  }
}
