import type { RunOptions } from '../run-options.ts'
import { type StartedRun, startRun } from './start-run.ts'

/**
 * Starts a run. Resolves with `undefined` as soon as the run is to stop: nothing has been published yet that would be
 * worth waiting for, and a queue that does not answer can take minutes. A writer that is opened later is closed.
 */
export async function startUnlessAborted(options: RunOptions): Promise<StartedRun | undefined> {
  const { signal } = options
  if (signal.aborted) return undefined
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  const starting = startRun(options)
  try {
    const run = await Promise.race([starting, aborted])
    if (!run) starting.then(({ writer }) => writer.close()).catch(() => {})
    return run
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
