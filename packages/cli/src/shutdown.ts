import { watchParentEnd } from './parent-end.ts'

/**
 * Aborts the returned signal when the process is asked to end. The next request is no longer caught, so a second signal
 * ends the process at once.
 *
 * @param parent - Process id: its end is a request too.
 */
export function listenForShutdown(parent?: number): AbortSignal {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    forgetParent?.()
    for (const signal of signals) process.off(signal, stop)
    controller.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  const forgetParent = parent === undefined ? undefined : watchParentEnd(parent, stop)
  return controller.signal
}
