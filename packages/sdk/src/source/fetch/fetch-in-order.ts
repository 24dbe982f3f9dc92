export interface FetchInOrderOptions<T> {
  readonly from: number
  readonly to: number
  /** Concurrent fetches; values below 1 count as 1. Called before each fetch. */
  width(): number
  /**
   * Limit on the bytes of results that were fetched and not yielded, including the estimated size of fetches under way.
   * One result is always fetched.
   */
  readonly maxBytes: number
  sizeOf(result: T): number
  readonly signal: AbortSignal
  /** Its signal is aborted when the result is not needed any more. After a failure no fetch begins. */
  fetch(number: number, signal: AbortSignal): Promise<T>
}

/**
 * Fetches the numbers `from` to `to` concurrently and yields the results in order, fetching ahead as far as `maxBytes`
 * allows. Fetches under way at the end are aborted.
 *
 * @throws what `fetch` throws, after the results before it were yielded.
 */
export async function* fetchInOrder<T>(options: FetchInOrderOptions<T>): AsyncGenerator<T, void, undefined> {
  const { from, to, width, maxBytes, sizeOf, fetch } = options
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const ahead: Promise<{ readonly result: T; readonly bytes: number }>[] = []
  let next = from
  let running = 0
  let heldBytes = 0
  let hasFailed = false
  let estimatedBytes = maxBytes / fewAtFirst

  async function fetchOne(number: number) {
    try {
      const result = await fetch(number, signal)
      const bytes = sizeOf(result)
      heldBytes += bytes
      estimatedBytes += (bytes - estimatedBytes) * weight
      return { result, bytes }
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      running--
      if (!signal.aborted) startMore()
    }
  }

  function startMore(): void {
    while (next <= to && !hasFailed && running < Math.max(1, width()) && hasRoom()) {
      running++
      const fetched = fetchOne(next++)
      ahead.push(fetched)
      // The consumer gets the error when it reaches this result.
      fetched.catch(() => {})
    }
  }

  function hasRoom(): boolean {
    return ahead.length === 0 || heldBytes + (running + 1) * estimatedBytes <= maxBytes
  }

  try {
    for (startMore(); ahead.length > 0; startMore()) {
      const { result, bytes } = await ahead[0]!
      ahead.shift()
      heldBytes -= bytes
      startMore()
      yield result
      options.signal.throwIfAborted()
    }
  } finally {
    ended.abort()
  }
}

const fewAtFirst = 8
const weight = 0.1
