import type { KeptAnswer } from './kept-answer.ts'

/** What the runs of a connector have been answered, in memory. */
export interface AnswerStore {
  keep(key: string, answer: KeptAnswer): void
  recall(key: string): KeptAnswer | undefined
  /** Keys of all that can be recalled now. */
  keys(): string[]
}

export interface AnswerStoreLimits {
  /** The oldest ones leave first. */
  readonly maxBytes: number
  readonly maxAgeMs: number
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

export function createAnswerStore({ maxBytes, maxAgeMs, now }: AnswerStoreLimits): AnswerStore {
  /** In the order in which they came. */
  const entries = new Map<string, { readonly answer: KeptAnswer; readonly bytes: number; readonly since: number }>()
  let bytes = 0

  return {
    keep(key, answer) {
      remove(key)
      const size = sizeOf(answer)
      entries.set(key, { answer, bytes: size, since: now() })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break
        remove(oldest)
      }
    },
    recall(key) {
      removeOld()
      return entries.get(key)?.answer
    },
    keys() {
      removeOld()
      return [...entries.keys()]
    },
  }

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  function removeOld(): void {
    for (const [key, { since }] of entries) {
      if (now() - since <= maxAgeMs) break
      remove(key)
    }
  }
}

function sizeOf({ headers, body }: KeptAnswer): number {
  return Buffer.byteLength(body) + JSON.stringify(headers).length + entryBytes
}

/** About what an entry takes beside its answer. */
const entryBytes = 500
