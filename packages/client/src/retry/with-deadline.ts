import { UnavailableError } from '../errors.ts'

/** Does work under a signal of its own, which is aborted with the caller's, and when the time is over. */
export async function withDeadline<Result>(
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => {
    controller.abort(new UnavailableError('service_unavailable', `The service gave no answer in ${ms / 1000} s.`))
  }, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
