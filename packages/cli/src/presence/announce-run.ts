import type { Logger, Queue } from '@headrace/queue'
import type { RunObserver, RunOptions, RunSummary } from '@headrace/sdk'
import { exitCodeOf, exitCodes } from '../exit-code.ts'
import { createRate } from '../output/rate.ts'
import { type Announcement, announceProcess } from './announce-process.ts'
import type { ProcessEnd } from './process-record.ts'

export interface AnnouncedRunOptions {
  readonly queue: Queue
  readonly log: Logger
  readonly observer: RunObserver | undefined
}

type OwningRun = Parameters<NonNullable<RunObserver['onStart']>>[0]

/** Runs a connector, and announces it from the moment on at which it owns its topics. */
export async function announceRun(
  { queue, log, observer }: AnnouncedRunOptions,
  run: (observer: NonNullable<RunOptions['observer']>) => Promise<RunSummary>,
): Promise<RunSummary> {
  const rates = { units: createRate(rateMs), records: createRate(rateMs) }
  const lags = createEarlierLag()
  let totals = { units: 0, records: 0 }
  let announcement: Announcement | undefined
  const watching: RunObserver = {
    onStart(started) {
      announcement = announceProcess({ queue, log, facts: () => factsOf(started) })
      observer?.onStart?.(started)
    },
    onCommit(commit) {
      totals = commit
      observer?.onCommit?.(commit)
    },
    onProgress: (at, head) => observer?.onProgress?.(at, head),
  }
  try {
    const summary = await run(watching)
    await announcement?.end({ reason: summary.reason, exitCode: exitCodes.done })
    return summary
  } catch (error) {
    await announcement?.end(endOf(error))
    throw error
  }

  function factsOf({ writerId: writer, report }: OwningRun) {
    const { state, source, endpoints } = report()
    const now = performance.now()
    const earlierLag = source && lags(now, source.head - source.position)
    const perSecond = { units: rates.units(now, totals.units), records: rates.records(now, totals.records) }
    return {
      ...{ kind: 'run' as const, writer, endpoints, perSecond },
      // The run owns its topics already.
      state: state === 'starting' ? ('running' as const) : state,
      ...(source && { source }),
      ...(earlierLag !== undefined && { earlierLag }),
    }
  }
}

const rateMs = 60_000

function endOf(error: unknown): ProcessEnd {
  const code = (error as { readonly code?: unknown } | undefined)?.code
  return { reason: 'failed', exitCode: exitCodeOf(error), ...(typeof code === 'string' && { code }) }
}

const earlierMs = 300_000

/** Returns the lag of five minutes ago, once that is known. */
function createEarlierLag(): (nowMs: number, lag: number) => number | undefined {
  const samples: { readonly at: number; readonly lag: number }[] = []
  return (nowMs, lag) => {
    samples.push({ at: nowMs, lag })
    while (samples.length > 1 && nowMs - samples[1]!.at >= earlierMs) samples.shift()
    return nowMs - samples[0]!.at >= earlierMs ? samples[0]!.lag : undefined
  }
}
