import { FencedError, HeadraceError, QueueUnavailableError, RetryableError } from '@headrace/queue'
import { readCommittedState } from './checkpoint/read-history.ts'
import { createRunState, type RunState } from './checkpoint/run-state.ts'
import { commitGroup } from './cycle/commit-group.ts'
import { encodeUnit } from './cycle/encode-unit.ts'
import { createBadMessages } from './dead-letter/bad-messages.ts'
import { createPublisher } from './grouping/publisher.ts'
import { countCommit, totalsOf } from './metrics/count-commit.ts'
import { createRunMeter, type RunMeter, timed } from './metrics/run-meter.ts'
import { serveRunMetrics } from './metrics/serve-run-metrics.ts'
import { publishSource } from './reading/publish-source.ts'
import type { SessionSource, SourceSession } from './reading/source-session.ts'
import { startRetention } from './retention/start-retention.ts'
import { createRetry } from './retry.ts'
import { planRevert } from './revert/plan-revert.ts'
import type { RunOptions, RunSummary } from './run-options.ts'
import { settledWithin } from './settled-within.ts'
import type { StartedRun } from './start/start-run.ts'
import { startUnlessAborted } from './start/start-unless-aborted.ts'

const defaultGraceMs = 10_000
const defaultRetryBudgetMs = 300_000

/**
 * Publishes what a connector reads, each unit exactly once, until the source ends or `signal` is aborted.
 *
 * It goes on after the newest committed unit of its connector instance. On an abort the source is ended and what it
 * has yielded is committed, unless that takes longer than `graceMs`.
 *
 * @throws {UserError} the project, the connector or the queue must be changed: `schema_mismatch`,
 *   `registration_refused`, `incompatible_schema`, `topic_mismatch`, `invalid_connector`, `invalid_unit`,
 *   `unit_too_large`, `bad_message`, `reorganisation_below_final`, `records_lost`, `checkpoint_moved`, `checkpoint_behind`,
 *   `listen_failed`,
 *   or what the source has thrown.
 * @throws {FencedError} another run owns the topics now.
 * @throws {RetryableError} the queue, or the source, could not be reached for longer than the budget.
 * @throws {SourceFailedError} the source went on failing in another way.
 */
export async function runConnector(options: RunOptions): Promise<RunSummary> {
  const { queue, signal, log, metrics } = options
  const meter = createRunMeter()
  const server = metrics && (await serveRunMetrics(metrics, { meter, queue, signal }))
  if (server) log.info({ url: server.url }, 'metrics served')
  // A source may wait for nothing but its signal, which alone keeps no process alive.
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    const run = await startUnlessAborted(options)
    const reason = run ? await publishAndClose(options, run, meter) : 'stopped'
    const { units, records, bytes, badMessages } = meter
    log.info({ writerId: meter.writerId, reason, units, records, bytes, badMessages }, 'run ended')
    return { units, records, bytes, badMessages, reason }
  } finally {
    await server?.close()
    clearInterval(alive)
  }
}

async function publishAndClose(options: RunOptions, run: StartedRun, meter: RunMeter): Promise<RunSummary['reason']> {
  const { signal, log, graceMs = defaultGraceMs } = options
  try {
    return await withinGrace(publishRun(options, run, meter), { signal, log, graceMs })
  } catch (error) {
    throw await endOf(error, run, log)
  } finally {
    const closed = run.writer.close().catch((error: unknown) => log.warn({ err: error }, 'writer not closed'))
    if (!(await settledWithin(closed, graceMs))) log.warn({ graceMs }, 'writer left behind')
  }
}

/**
 * What a run ends with: `FencedError` where a newer run has taken over. What looks like a loss, or like a source or queue
 * that fails, is often that run's work, and a run that is started again would fence it. Where the queue does not say
 * whether there is a newer run, nothing is called a loss.
 */
async function endOf(error: unknown, { writer }: StartedRun, log: RunOptions['log']): Promise<unknown> {
  if (error instanceof FencedError) return error
  let claim: FencedError | 'newest' | undefined
  const checking = writer.checkClaim().then(
    () => {
      claim = 'newest'
    },
    (failure: unknown) => {
      if (failure instanceof FencedError) claim = failure
    },
  )
  await settledWithin(checking, claimMs)
  if (claim === 'newest') return error
  if (claim) {
    log.warn({ err: error }, 'run failed, and another one has taken over')
    return claim
  }
  if (!(error instanceof HeadraceError && newerRunCodes.has(error.code))) return error
  log.warn({ err: error }, 'run failed, perhaps because another one has taken over')
  const message =
    `Another run may have taken over, which the queue did not confirm within ${claimMs / 1000} s: it may be why this ` +
    'one failed. Start again.'
  return new QueueUnavailableError(message, { cause: error })
}

/** A queue that cannot be reached is not waited for longer. */
const claimMs = 10_000

/** Codes of what a newer run looks like to the one before. */
const newerRunCodes: ReadonlySet<string> = new Set(['records_lost', 'checkpoint_moved', 'reorganisation_below_final'])

async function publishRun(options: RunOptions, run: StartedRun, meter: RunMeter): Promise<RunSummary['reason']> {
  const { connector, queue, signal, log, observer, graceMs = defaultGraceMs } = options
  const { onBadMessage = 'keep', group = 'auto' } = options
  const { writer, topics, checkpoint } = run
  const state = createRunState(await readCommittedState(queue, writer.id, checkpoint), topics.values())
  const badMessages = createBadMessages({ writerId: writer.id, onBadMessage, log })
  const retryLimits = { budgetMs: defaultRetryBudgetMs, ...options.retry }
  using retry = createRetry(retryLimits, signal)
  const retention = startRetention({ queue, topics: topics.values(), revertible: state.revertible, signal, log })
  let session: SourceSession | undefined

  const publisher = createPublisher({
    group,
    async planRevert(revertTo) {
      const revert = await planRevert(queue, state, revertTo)
      log.warn({ unit: state.nextUnit, units: revert.units, records: revert.records }, 'taking back')
      return revert
    },
    encode: (unit, messages, revert) => encodeUnit({ topics, state, badMessages, meter }, unit, messages, revert),
    commit: (units) => timed(meter, 'commit', commitGroup({ queue, writer, badMessages, meter, signal, log }, units)),
    onCommit(units) {
      retry.reset()
      countCommit(meter, units)
      session?.committed(units.length)
      const { unit, position, revertible } = units.at(-1)!
      retention.committed(revertible)
      log.debug({ unit, units: units.length }, 'committed')
      observer?.onCommit?.({ ...totalsOf(meter), unit, checkpoint: position })
    },
    onFailure: () => session?.interrupt(),
  })

  meter.writerId = writer.id
  const place = { writerId: writer.id, unit: checkpoint?.unit ?? null, checkpoint: checkpoint?.position ?? null }
  log.info({ ...place, run: writer.claim }, 'run started')
  const topicNames = [...topics.values()].map(({ topic }) => topic)
  observer?.onStart?.({ writerId: writer.id, topics: topicNames, checkpoint: place.checkpoint })
  try {
    return await publishSource({
      connector,
      source: createSource(options, state, meter),
      publisher,
      meter,
      retry,
      retryBudgetMs: retryLimits.budgetMs,
      graceMs,
      onSession(opened) {
        session = opened
      },
    })
  } finally {
    if (!(await settledWithin(retention.end(), graceMs))) log.warn({ graceMs }, 'retention left behind')
  }
}

function createSource(
  { settings, queue, signal, log, observer }: RunOptions,
  state: RunState,
  meter: RunMeter,
): SessionSource {
  return {
    config: settings.values,
    queue,
    history: () => state.history.positions(),
    signal,
    log,
    watchEndpoints(health) {
      meter.endpoints = health
    },
    progress(at, head) {
      meter.progress = { at, head }
      observer?.onProgress?.(at, head)
    },
  }
}

/** Waits for a run, but after an abort no longer than the grace period: what is not committed by then never will be. */
async function withinGrace(
  publishing: Promise<RunSummary['reason']>,
  { signal, log, graceMs }: { signal: AbortSignal; log: RunOptions['log']; graceMs: number },
): Promise<RunSummary['reason']> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) resolve()
  try {
    await Promise.race([publishing, aborted])
    if (signal.aborted && !(await settledWithin(publishing, graceMs))) {
      log.warn({ graceMs }, 'stopped before everything had ended')
      return 'stopped'
    }
    return await publishing
  } catch (error) {
    if (!signal.aborted || !(error instanceof RetryableError)) throw error
    log.warn({ err: error }, 'stopped before everything was committed')
    return 'stopped'
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
