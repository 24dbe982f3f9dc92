import { addAbortListener } from 'node:events'

/**
 * Waits for a promise until the signal is aborted, then rejects with the signal's reason. An abort does not stop the
 * work behind the promise. Its later result or error is ignored.
 *
 * @param signal - Default: never aborted.
 *
 * @example
 * ```ts
 * await abortable(queue.createTopics(topics), signal)
 * ```
 */
export async function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => reject(signal.reason))
  return await Promise.race([promise, aborted])
}
