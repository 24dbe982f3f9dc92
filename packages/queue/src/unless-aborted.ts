import { addAbortListener } from 'node:events'

/**
 * Settles as a promise does, or resolves to `undefined` once the signal is aborted. The work behind the promise then
 * continues, and its later result or error is ignored.
 *
 * @example
 * ```ts
 * const queue = await unlessAborted(openQueue(url), signal)
 * ```
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  using _listener = addAbortListener(signal, () => resolve(undefined))
  if (signal.aborted) resolve(undefined)
  return await Promise.race([aborted, promise])
}
