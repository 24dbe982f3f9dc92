/** Ms. */
const pollMs = 500

/** The signal also aborts when the process `parent` ends. A second signal ends this process at once. */
export function listenForShutdown(parent?: number): AbortSignal {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    clearInterval(timer)
    for (const signal of signals) process.off(signal, stop)
    controller.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  // The system gives an orphan another parent.
  const check = () => process.ppid !== parent && stop()
  const timer = parent === undefined ? undefined : setInterval(check, pollMs).unref()
  return controller.signal
}
