import type { Log } from '../log.ts'
import { parseWsUrl } from '../rpc/endpoint-url.ts'

/** Hints of a node, over its WebSocket, that there is a new block. None of them is needed: the head is polled as well. */
export interface NewHeads {
  /**
   * Resolves at the next hint, at once where one came since the last wait, or after so many ms. Rejects at an abort, with
   * its reason.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /**
   * Says which head was found by asking. Where it has moved on for a while and no hint came, the connection is taken for
   * dead and made anew.
   */
  found(head: number): void
  close(): void
}

export interface NewHeadsOptions {
  /** ws or wss. Default: no hints. */
  readonly url: string | undefined
  readonly log: Log
  /** For how long the head may move without a hint. Default 10,000 ms. */
  readonly silenceMs?: number
}

const firstPauseMs = 1000
const longestPauseMs = 60_000

/** @throws {InvalidWsUrlError} */
export function openNewHeads({ url: text, log, silenceMs = 10_000 }: NewHeadsOptions): NewHeads {
  const url = text === undefined ? undefined : parseWsUrl(text)
  let socket: WebSocket | undefined
  let reconnect: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let wake: (() => void) | undefined
  /** Whether a hint came while nobody waited. */
  let isMissed = false
  let lastHead = -1
  /** Whether a hint came since the head was last found to have moved. */
  let isTold = false
  /** Since when the head has moved without a hint; `undefined` where it has not. */
  let untoldSince: number | undefined
  if (url) connect()

  return {
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          wake = undefined
          isMissed = false
          if (signal.aborted) reject(signal.reason)
          else resolve()
        }
        const timer = setTimeout(done, ms)
        signal.addEventListener('abort', done)
        wake = done
        if (signal.aborted || isMissed) done()
      }),
    found(head) {
      const hasMoved = head > lastHead && lastHead !== -1
      lastHead = Math.max(head, lastHead)
      if (!socket || !hasMoved) return
      const wasTold = isTold
      isTold = false
      if (wasTold) return
      untoldSince ??= performance.now()
      if (performance.now() - untoldSince < silenceMs) return
      log.warn({ ws: url!.name, head }, 'new blocks are not told of over WebSocket: connecting again')
      drop()
    },
    close() {
      clearTimeout(reconnect)
      reconnect = undefined
      const open = socket
      socket = undefined
      open?.close()
    },
  }

  function connect(): void {
    reconnect = undefined
    const opened = new WebSocket(url!.href)
    socket = opened
    opened.onopen = () => opened.send(subscribe)
    opened.onmessage = ({ data }) => {
      if (opened !== socket || typeof data !== 'string') return
      if (data.includes('eth_subscription')) {
        pauseMs = firstPauseMs
        isTold = true
        untoldSince = undefined
      }
      // The answer to the subscription is a hint too: blocks may have come while there was no connection.
      hint()
    }
    opened.onclose = ({ code }) => {
      if (opened !== socket) return
      log.info({ ws: url!.name, code }, 'the WebSocket was closed: connecting again')
      drop()
    }
    opened.onerror = () => {}
  }

  function hint(): void {
    if (wake) wake()
    else isMissed = true
  }

  /** Leaves a connection that is closed or silent, and makes another one after a pause. */
  function drop(): void {
    const left = socket
    socket = undefined
    isTold = false
    untoldSince = undefined
    left?.close()
    reconnect = setTimeout(connect, pauseMs)
    reconnect.unref()
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
