import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Outcome } from '../scenario.ts'
import { failureKind } from '../shrinking/failure-kind.ts'
import type { Report, RunTask, Task } from './messages.ts'
import { createTally, type Tally } from './tally.ts'

export interface RunEvents {
  /** Seeds of a scenario are done. */
  ran(scenario: string, tally: Tally): void
  failed(outcome: Outcome): void
  /** The first failure of its kind, with a minimum of faults and its trace. */
  shrunk(outcome: Outcome): void
}

export interface RunOptions {
  readonly tasks: Iterable<RunTask>
  /** Number of concurrent processes. */
  readonly jobs: number
  /** Whether to end at the first failure. Default: no. */
  readonly untilFailure?: boolean
  readonly signal?: AbortSignal
  /** The program of the children. Default: the one with all scenarios. */
  readonly program?: string
  /**
   * Timeout of a seed after it begins, in ms, by default three minutes. A seed takes milliseconds, and shrinking one some
   * hundreds of them.
   */
  readonly silenceMs?: number
}

/**
 * Runs seeds in child processes until all are done or `signal` is aborted. The first failure of each kind is shrunk.
 */
export async function runInChildren(options: RunOptions, events: RunEvents): Promise<void> {
  const { jobs, untilFailure = false, signal = new AbortController().signal, silenceMs = startMs } = options
  const { program = join(import.meta.dirname, 'child.ts') } = options
  const tasks = options.tasks[Symbol.iterator]()
  const toShrink: Task[] = []
  const kinds = new Set<string>()

  function next(): Task | undefined {
    const shrink = toShrink.shift()
    if (shrink || signal.aborted || (untilFailure && kinds.size > 0)) return shrink
    const { value, done } = tasks.next()
    return done ? undefined : value
  }

  function failed(outcome: Outcome, canShrink = true): void {
    events.failed(outcome)
    const kind = `${outcome.scenario}: ${failureKind(outcome.failure!)}`
    if (!kinds.has(kind) && canShrink) toShrink.push({ what: 'shrink', scenario: outcome.scenario, seed: outcome.seed })
    kinds.add(kind)
  }

  async function runOne(): Promise<void> {
    let child: ChildProcess | undefined
    try {
      for (let task = next(); task; task = next()) {
        child ??= fork(program, { execArgv })
        const report = await perform(child, task, { signal, silenceMs })
        if (signal.aborted) {
          child.kill('SIGKILL')
          return
        }
        if (report.what === 'has run') {
          events.ran(report.scenario, report.tally)
          for (const outcome of report.failed) failed(outcome)
        } else if (report.what === 'has shrunk') events.shrunk(report.outcome)
        else {
          child.kill('SIGKILL')
          child = undefined
          const { scenario } = task
          const { seed, reason } = report
          failed({ scenario, seed, failure: reason, steps: 0, virtualMs: 0, faults: [], trace: [] }, false)
          if (task.what === 'run') events.ran(scenario, { ...createTally(), seeds: seed - task.from + 1, failed: 1 })
        }
      }
    } finally {
      if (child?.connected) child.disconnect()
    }
  }

  await Promise.all(Array.from({ length: jobs }, runOne))
}

interface Lost {
  readonly what: 'lost'
  readonly seed: number
  readonly reason: string
}

type Ended = Exclude<Report, { what: 'begins' }> | Lost

/** Gives a task to a child. If the child ends or exceeds the timeout, its seed counts as failed. */
function perform(
  child: ChildProcess,
  task: Task,
  { signal, silenceMs }: { readonly signal: AbortSignal; readonly silenceMs: number },
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let seed = task.what === 'run' ? task.from : task.seed
  const lost = (reason: string): void => resolve({ what: 'lost', seed, reason })
  const limit = (ms: number) => setTimeout(lost, ms, `it does not come to an end within ${ms / 1000} s`)
  let silent = limit(startMs)
  const exited = (code: number | null, signal: string | null): void =>
    lost(`its process ended with ${signal ?? `exit code ${code}`}`)
  const aborted = (): void => lost('it was interrupted')
  const onReport = (report: Report): void => {
    if (report.what === 'begins') {
      seed = report.seed
      clearTimeout(silent)
      silent = limit(silenceMs)
    } else resolve(report)
  }
  child.on('message', onReport).on('exit', exited)
  signal.addEventListener('abort', aborted)
  child.send(task)
  return promise.finally(() => {
    clearTimeout(silent)
    child.off('message', onReport).off('exit', exited)
    signal.removeEventListener('abort', aborted)
  })
}

/** Timeout of the start of a child, and of a seed unless it is set. */
const startMs = 180_000

/** Options for much short-lived garbage, and for many errors whose stacks are not used. */
const execArgv = ['--conditions=@headrace/source', '--max-semi-space-size=64', '--stack-trace-limit=0']
