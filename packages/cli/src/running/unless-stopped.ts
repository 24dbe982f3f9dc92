/** Resolves to `undefined` when `signal` aborts. */
export async function unlessStopped<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) resolve(undefined)
  try {
    return await Promise.race([stopped, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
