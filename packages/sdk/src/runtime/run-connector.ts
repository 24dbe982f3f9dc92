import { FencedError, HeadraceError, QueueUnavailableError, RetryableError, unlessAborted } from '@headrace/queue'
import { readCommittedState } from './checkpoint/read-checkpoints.ts'
import { createRunState } from './checkpoint/run-state.ts'
import { commitGroup } from './cycle/commit-group.ts'
import { encodeUnit, type UnitEncoder } from './cycle/encode-unit.ts'
import { createBadMessageReplacer } from './dead-letter/bad-messages.ts'
import { createPublisher } from './grouping/publisher.ts'
import { countCommit, RunMeter, reportOf, timed, totalsOf } from './metrics/run-meter.ts'
import { runHealth, serveRunMetrics } from './metrics/run-metrics.ts'
import { publishSource, type SessionSource, type SourceSession } from './reading/publish-source.ts'
import { startRetention } from './retention/start-retention.ts'
import { createRetry } from './retry.ts'
import { planRevert } from './revert/revert.ts'
import type { RunOptions, RunSummary } from './run-options.ts'
import { settledWithin } from './settled.ts'
import { type StartedRun, startUnlessAborted } from './start/start-run.ts'
import { traceCommit } from './trace/unit-trace.ts'

const defaultGraceMs = 10_000

/**
 * Publishes what a connector reads, each unit exactly once, until the source ends or `signal` is aborted. It continues
 * after the newest committed unit. On an abort it commits what was yielded, within `graceMs`.
 *
 * @throws {UserError} the project, the connector or the queue must be changed: `schema_mismatch`,
 *   `registration_refused`, `incompatible_schema`, `topic_mismatch`, `invalid_connector`, `invalid_unit`,
 *   `unit_too_large`, `bad_message`, `reorganisation_below_final`, `records_lost`, `checkpoint_moved`,
 *   `checkpoint_behind`, `listen_failed`, or what the source has thrown.
 * @throws {FencedError} another run owns the topics now.
 * @throws {RetryableError} the queue or the source was unreachable for longer than the budget.
 * @throws {SourceFailedError} the source kept failing in another way.
 */
export async function runConnector(options: RunOptions): Promise<RunSummary> {
  const { queue, signal, log, metrics } = options
  const meter = new RunMeter()
  const server = metrics && (await serveRunMetrics(metrics, { meter, queue, signal }))
  if (server) log.info({ url: server.url }, 'metrics served')
  // Keeps the process alive: a source may wait for nothing but its signal.
  const keepAlive = setInterval(() => {}, 2 ** 30)
  try {
    const run = await startUnlessAborted(options)
    const reason = run ? await publishAndClose(options, run, meter) : 'stopped'
    const totals = totalsOf(meter)
    log.info({ writerId: meter.writerId, reason, ...totals }, 'run ended')
    return { ...totals, reason }
  } finally {
    await server?.close()
    clearInterval(keepAlive)
  }
}

async function publishAndClose(options: RunOptions, run: StartedRun, meter: RunMeter): Promise<RunSummary['reason']> {
  const { signal, log, graceMs = defaultGraceMs } = options
  const publishing = publishRun(options, run, meter)
  try {
    await unlessAborted(publishing, signal)
    if (!signal.aborted || (await settledWithin(publishing, graceMs))) return await publishing
    log.warn({ graceMs }, 'stopped at the end of the grace period')
    return 'stopped'
  } catch (error) {
    if (!signal.aborted || !(error instanceof RetryableError)) throw await errorAtEnd(error, run, log)
    log.warn({ err: error }, 'stopped before everything was committed')
    return 'stopped'
  } finally {
    const closed = run.writer.close().catch((error: unknown) => log.warn({ err: error }, 'writer not closed'))
    if (!(await settledWithin(closed, graceMs))) log.warn({ graceMs }, 'writer not closed in time')
  }
}

/**
 * A newer run can make this one fail and look like a loss of records. So no loss is reported until the queue confirms
 * that this run is the newest.
 */
async function errorAtEnd(error: unknown, { writer }: StartedRun, log: RunOptions['log']): Promise<unknown> {
  if (error instanceof FencedError) return error
  const checking = writer.checkClaim().then(
    () => 'newest',
    (failure: unknown) => failure,
  )
  const claim = (await settledWithin(checking, claimMs)) ? await checking : undefined
  if (claim === 'newest') return error
  if (claim instanceof FencedError) {
    log.warn({ err: error }, 'run failed, and another one has taken over')
    return claim
  }
  if (!(error instanceof HeadraceError && newerRunCodes.has(error.code))) return error
  log.warn({ err: error }, 'run failed, perhaps because another one has taken over')
  const message =
    `This run failed, perhaps because another one has taken over, which the queue did not confirm within ` +
    `${claimMs / 1000} s. Start it again.`
  return new QueueUnavailableError(message, { cause: error })
}

const claimMs = 10_000

/** Codes of errors that a newer run can cause in the one before. */
const newerRunCodes: ReadonlySet<string> = new Set(['records_lost', 'checkpoint_moved', 'reorganisation_below_final'])

async function publishRun(options: RunOptions, run: StartedRun, meter: RunMeter): Promise<RunSummary['reason']> {
  const { connector, queue, signal, log, observer, graceMs = defaultGraceMs } = options
  const { onBadMessage = 'keep', group = 'auto' } = options
  const { writer, topics, checkpoint } = run
  const state = createRunState(await readCommittedState(queue, writer.id, checkpoint), topics.values())
  const replaceBad = createBadMessageReplacer({ writerId: writer.id, onBadMessage, log })
  using retry = createRetry(options.retry ?? {}, signal)
  const retention = startRetention({ queue, topics: topics.values(), revertible: state.revertible, signal, log })
  let session: SourceSession | undefined

  const publisher = createPublisher({
    group,
    async planRevert(revertTo) {
      const revert = await planRevert(queue, state, revertTo)
      log.warn({ unit: state.nextUnit, units: revert.units, records: revert.records }, 'reverting')
      return revert
    },
    encode: (unit, messages, place) =>
      encodeUnit({ topics, state, replaceBad, meter, writerId: writer.id }, unit, messages, place),
    commit(units) {
      const commit = () => commitGroup({ queue, writer, replaceBad, meter, signal, log }, units)
      return timed(meter, 'commit', traceCommit({ units, engine: queue.engine }, commit))
    },
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
  const position = { writerId: writer.id, unit: checkpoint?.unit ?? null, checkpoint: checkpoint?.position ?? null }
  log.info({ ...position, run: writer.claim }, 'run started')
  const topicNames = [...topics.values()].map(({ topic }) => topic)
  observer?.onStart?.({
    ...{ writerId: writer.id, topics: topicNames, checkpoint: position.checkpoint },
    report: () => ({ ...reportOf(meter), state: runHealth(meter, signal).state }),
  })
  try {
    return await publishSource({
      connector,
      source: createSource(options, { topics, state, meter }),
      publisher,
      meter,
      retry,
      graceMs,
      onSession(opened) {
        session = opened
      },
    })
  } finally {
    if (!(await settledWithin(retention.end(), graceMs))) log.warn({ graceMs }, 'retention not ended in time')
  }
}

function createSource(
  { settings, queue, signal, log, observer }: RunOptions,
  { topics, state, meter }: Pick<UnitEncoder, 'topics' | 'state' | 'meter'>,
): SessionSource {
  return {
    config: settings.values,
    queue,
    history: () => state.history.positions(),
    signal,
    log,
    descriptor: (message) => topics.get(message)?.descriptor,
    watchEndpoints(health) {
      meter.endpoints = health
    },
    progress(at, head) {
      meter.progress = { at, head }
      observer?.onProgress?.(at, head)
    },
  }
}
