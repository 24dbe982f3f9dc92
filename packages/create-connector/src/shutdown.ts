/** Aborts the returned signal when the process is asked to end. A second request ends it at once. */
export function listenForShutdown(): AbortSignal {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    for (const signal of signals) process.off(signal, stop)
    controller.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  return controller.signal
}
