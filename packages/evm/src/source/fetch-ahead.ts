export interface FetchAheadOptions<T> {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** How many fetches run side by side at most. */
  readonly width: number
  readonly signal: AbortSignal
  fetch(number: number, signal: AbortSignal): Promise<T>
}

/**
 * Fetches a range side by side and yields the results in order. Results that are not taken yet count as running, so no
 * more than `width` are held. Fetches that are under way when the iteration ends are aborted.
 */
export async function* fetchAhead<T>(options: FetchAheadOptions<T>): AsyncGenerator<T, void, undefined> {
  const { from, to, width, fetch } = options
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const running: Promise<T>[] = []
  let next = from
  try {
    while (next <= to || running.length > 0) {
      while (next <= to && running.length < width) {
        const fetched = fetch(next++, signal)
        fetched.catch(() => {}) // its turn comes below, unless the iteration ends before
        running.push(fetched)
      }
      yield await running.shift()!
    }
  } finally {
    ended.abort()
  }
}
