/** Waits. Throws the signal's reason as soon as there is one. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })

    function stop(): void {
      clearTimeout(timer)
      reject(signal?.reason)
    }
  })
}
