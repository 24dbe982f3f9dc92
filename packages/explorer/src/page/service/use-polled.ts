import { useSignal, useSignalEffect } from '@preact/signals'
import { useExplorer } from '../explorer.ts'
import { ExplorerError } from './problem.ts'

export interface Polled<Value> {
  /** The last answer, also after a later failure. */
  readonly value: Value | undefined
  readonly error: ExplorerError | undefined
  retry(): void
}

/** After a failure, waits longer: twice as long each time, up to this. In ms. */
const longestMs = 30_000

/** Fetches at once and then every `everyMs`, while the page is visible. A change of `key` starts again. */
export function usePolled<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs, key = '' }: { readonly everyMs: number; readonly key?: string },
): Polled<Value> {
  const { clock } = useExplorer()
  const current = useSignal<{ key: string; value?: Value; error?: ExplorerError }>({ key })
  const wanted = useSignal(key)
  const attempt = useSignal(0)
  wanted.value = key

  useSignalEffect(() => {
    const now = wanted.value
    attempt.value
    if (!clock.isVisible.value) return undefined
    const stop = new AbortController()
    let timer: number | undefined
    let waitMs = everyMs
    void poll()
    return () => {
      stop.abort()
      window.clearTimeout(timer)
    }

    async function poll(): Promise<void> {
      try {
        const value = await load(stop.signal)
        current.value = { key: now, value }
        waitMs = everyMs
      } catch (error) {
        if (stop.signal.aborted) return
        const known = current.peek()
        current.value = { ...(known.key === now ? known : { key: now }), error: toExplorerError(error) }
        waitMs = Math.min(waitMs * 2, longestMs)
      }
      if (!stop.signal.aborted) timer = window.setTimeout(poll, waitMs)
    }
  })

  const { value, error } = current.value.key === key ? current.value : {}
  return {
    value,
    error,
    retry() {
      attempt.value++
    },
  }
}

export function toExplorerError(error: unknown): ExplorerError {
  if (error instanceof ExplorerError) return error
  const { code, message, status } = error as { code?: string; message: string; status?: number }
  return new ExplorerError(code ?? 'page_failed', message, status)
}
