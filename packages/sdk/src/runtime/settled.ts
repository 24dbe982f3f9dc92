import { abortable } from '@headrace/queue'

/** Resolves to whether a promise settles within `timeMs`. */
export async function settledWithin(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeMs, false)
  const settled = () => true
  try {
    return await Promise.race([promise.then(settled, settled), over])
  } finally {
    clearTimeout(timer)
  }
}

/** Settles as a promise does, or resolves with `undefined` once `signal` is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await abortable(promise, signal)
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  }
}
