export interface FetchInOrderOptions<T> {
  /** Numbers of what is fetched: `from`, `from + 1`, … up to `to`, inclusive. */
  readonly from: number
  readonly to: number
  /** How many fetches run side by side at most; one where it is less. Asked before each one, so that it may change. */
  width(): number
  /**
   * Bytes that may be held for what is fetched and not yet taken, those included that the fetches under way are likely
   * to bring. One result is always fetched, however large.
   */
  readonly maxBytes: number
  sizeOf(result: T): number
  readonly signal: AbortSignal
  /** Fetches one. Its signal is aborted when nobody waits for the result any more. After a failure none is begun. */
  fetch(number: number, signal: AbortSignal): Promise<T>
}

interface Fetched<T> {
  readonly result: Promise<T>
  /** Of the result, once it is there. */
  bytes: number | undefined
}

/**
 * Fetches a range side by side and yields the results in order. While one is late, those after it are fetched ahead as
 * far as the memory for them reaches. What is under way when the iteration ends is aborted.
 *
 * @throws what `fetch` throws, after the results before it were taken.
 */
export async function* fetchInOrder<T>(options: FetchInOrderOptions<T>): AsyncGenerator<T, void, undefined> {
  const { from, to, width, maxBytes, sizeOf, fetch } = options
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const ahead: Fetched<T>[] = []
  let next = from
  let running = 0
  let heldBytes = 0
  let hasFailed = false
  /** Of the last results, on average. Until there is one, few are fetched. */
  let likelyBytes = maxBytes / fewAtFirst

  function begin(): void {
    const number = next++
    const fetched: Fetched<T> = { result: (async () => fetch(number, signal))(), bytes: undefined }
    running++
    ahead.push(fetched)
    fetched.result
      .then((result) => {
        fetched.bytes = sizeOf(result)
        heldBytes += fetched.bytes
        likelyBytes += (fetched.bytes - likelyBytes) * weight
      })
      // Whoever takes it meets the failure, unless the iteration ends before.
      .catch(() => {
        hasFailed = true
      })
      .finally(() => {
        running--
        if (!signal.aborted) beginMore()
      })
  }

  /** Also while the taker is busy: it should find the next results there. */
  function beginMore(): void {
    while (next <= to && !hasFailed && running < Math.max(1, width()) && hasRoom()) begin()
  }

  function hasRoom(): boolean {
    return ahead.length === 0 || heldBytes + (running + 1) * likelyBytes <= maxBytes
  }

  try {
    for (beginMore(); ahead.length > 0; beginMore()) {
      const first = ahead[0]!
      const result = await first.result
      ahead.shift()
      heldBytes -= first.bytes!
      beginMore()
      yield result
      options.signal.throwIfAborted()
    }
  } finally {
    ended.abort()
  }
}

const fewAtFirst = 8
/** Weight of the newest result in the average of sizes. */
const weight = 0.1
