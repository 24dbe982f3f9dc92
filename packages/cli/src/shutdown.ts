import { watchParentEnd } from './parent-end.ts'

/**
 * Aborts the returned signal on SIGINT, SIGTERM or SIGHUP. A second signal ends the process at once.
 *
 * @param parent - Process id: the end of this process aborts the signal as well.
 */
export function listenForShutdown(parent?: number): AbortSignal {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    stopWatching?.()
    for (const signal of signals) process.off(signal, stop)
    controller.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  const stopWatching = parent === undefined ? undefined : watchParentEnd(parent, stop)
  return controller.signal
}
