import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

export interface Changes {
  add(file: string): void
  /** Resolves to the changes since the last call, or to `undefined` when `signal` aborts. One call at a time. */
  next(signal: AbortSignal): Promise<readonly string[] | undefined>
  readonly arePending: boolean
}

export interface ChangesOptions {
  /** Ms without a further change: editors write a file in several steps. */
  readonly quietMs?: number
  /** Most ms to wait for that. */
  readonly longestMs?: number
}

export function createChanges({ quietMs = 100, longestMs = 2000 }: ChangesOptions = {}): Changes {
  const files = new Set<string>()
  let newest = 0
  let wake: () => void = () => {}

  return {
    add(file) {
      files.add(file)
      newest = performance.now()
      wake()
    },
    async next(signal) {
      if (signal.aborted) return undefined
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const aborted = new AbortController()
      if (files.size === 0) await Promise.race([changed, once(signal, 'abort', { signal: aborted.signal })])
      aborted.abort()
      const latest = performance.now() + longestMs
      for (;;) {
        if (signal.aborted) return undefined
        const now = performance.now()
        const quiet = Math.min(newest + quietMs, latest) - now
        if (quiet <= 0) break
        await wait(quiet, undefined, { signal }).catch(() => {})
      }
      const changes = [...files].sort()
      files.clear()
      return changes
    },
    get arePending() {
      return files.size > 0
    },
  }
}
