type Later = (ms: number, what: () => void) => () => void
type Callback = (...args: never[]) => void
interface WaitOptions {
  readonly signal?: AbortSignal
}

/**
 * `node:timers` and `node:timers/promises` with another clock. As in Node, delays are whole milliseconds and at least
 * one.
 */
export function createTimerFunctions(later: Later) {
  function start(callback: Callback, ms: number, args: unknown[], repeats: boolean): VirtualTimeout {
    const delay = delayOf(ms)
    let cancel = (): void => {}
    const begin = (): void => {
      cancel = later(delay, () => {
        if (repeats) begin()
        callback(...(args as never[]))
      })
    }
    begin()
    const timeout: VirtualTimeout = {
      ref: () => timeout,
      unref: () => timeout,
      hasRef: () => true,
      refresh() {
        cancel()
        begin()
        return timeout
      },
      close: () => timeout[Symbol.dispose](),
      [Symbol.dispose]: () => cancel(),
    }
    return timeout
  }

  /** Rejects immediately when the signal is aborted, as Node's does. */
  function wait<T>(ms: number, value: T, { signal }: WaitOptions): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (signal?.aborted) reject(abortError(signal))
    else {
      const aborted = (): void => {
        cancel()
        reject(abortError(signal!))
      }
      const cancel = later(ms, () => {
        signal?.removeEventListener('abort', aborted)
        resolve(value)
      })
      signal?.addEventListener('abort', aborted, { once: true })
    }
    return promise
  }

  async function* ticks<T>(ms: number, value: T, options: WaitOptions = {}): AsyncGenerator<T> {
    for (;;) yield await wait(delayOf(ms), value, options)
  }

  return {
    setTimeout: (callback: Callback, ms = 1, ...args: unknown[]) => start(callback, ms, args, false),
    setInterval: (callback: Callback, ms = 1, ...args: unknown[]) => start(callback, ms, args, true),
    setImmediate: (callback: Callback, ...args: unknown[]) => {
      const cancel = later(0, () => callback(...(args as never[])))
      return { [Symbol.dispose]: cancel }
    },
    clear: (timer: Disposable | undefined) => timer?.[Symbol.dispose](),
    promises: {
      setTimeout: <T>(ms = 1, value?: T, options: WaitOptions = {}) => wait(delayOf(ms), value, options),
      setImmediate: <T>(value?: T, options: WaitOptions = {}) => wait(0, value, options),
      setInterval: ticks,
    },
    abortAfter(ms: number): AbortSignal {
      const controller = new AbortController()
      later(delayOf(ms), () =>
        controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      )
      return controller.signal
    },
  }
}

interface VirtualTimeout extends Disposable {
  ref(): VirtualTimeout
  unref(): VirtualTimeout
  hasRef(): boolean
  refresh(): VirtualTimeout
  close(): void
}

/** As in Node, a delay that is not a number from 1 to 2³¹ − 1 counts as 1. */
function delayOf(ms: number): number {
  return ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1
}

function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
