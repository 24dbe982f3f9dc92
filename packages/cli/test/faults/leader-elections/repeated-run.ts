import type { TestProject } from '@headrace/sdk/testing'
import type { ElectionScene } from './election-scene.ts'

export interface RepeatedRunOptions {
  readonly name: string
  readonly project: TestProject
  readonly connector: Parameters<TestProject['run']>[0]
  /** Number of committed units after which the next run is stopped. */
  units(): number
  onStart?(): void
  onCommit?(checkpoint: unknown): void
  readonly signal: AbortSignal
}

/**
 * Runs a connector, stops it and starts it again, with a queue of its own, as a new process has, or with one that
 * others use at the same time. Each run must continue after the unit that was committed last. Returns the number of
 * starts.
 */
export async function runRepeatedly(scene: ElectionScene, options: RepeatedRunOptions): Promise<number> {
  const { name, project, connector, units, onStart, onCommit, signal } = options
  const { findings, random } = scene
  // Unknown before the first start, and after a run that has failed.
  let last: string | undefined
  let starts = 0
  for (let failures = 0; !signal.aborted && failures < mostFailures; ) {
    starts++
    const what = `start ${starts} of ${name}`
    const own = random.integer(2) === 0 ? await scene.openQueue() : undefined
    const [stop, enough] = [new AbortController(), units()]
    const run = project.run(connector, {
      queue: own ?? project.queue,
      graceMs,
      signal: AbortSignal.any([signal, stop.signal]),
      retry: { budgetMs: 0 },
      observer: {
        onStart({ checkpoint }) {
          const found = JSON.stringify(checkpoint)
          if (last !== undefined && found !== last)
            findings.note('start', `${what} continued after ${found}, expected ${last}`)
          last = found
          onStart?.()
        },
        onCommit({ units, checkpoint }) {
          last = JSON.stringify(checkpoint)
          onCommit?.(checkpoint)
          if (units >= enough) stop.abort()
        },
      },
    })
    const summary = await findings.during('run', what, run)
    await own?.close()
    if (summary) continue
    failures++
    last = undefined
  }
  return starts
}

/** Longer than the budget of the queue, so that no commit is left without an answer when a run has ended. */
const graceMs = 100_000
const mostFailures = 10
