import type { Log } from '../log.ts'
import { parseWsUrl } from '../rpc/endpoint-url.ts'

/** Notifications of new blocks from a node's WebSocket. None is required, because the head is polled as well. */
export interface NewHeads {
  /** Resolves at the next notification, at once if one came since the last wait, or after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** If the head advances for `silenceMs` without a notification, the connection is replaced. */
  polled(head: number): void
  close(): void
}

export interface NewHeadsOptions {
  readonly url: string | undefined
  readonly log: Log
  /** Default 10,000 ms. */
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
  let isMissed = false
  let lastHead = -1
  let isNotified = false
  let unnotifiedSince: number | undefined
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
    polled(head) {
      const hasMoved = head > lastHead && lastHead !== -1
      lastHead = Math.max(head, lastHead)
      if (!socket || !hasMoved) return
      const wasNotified = isNotified
      isNotified = false
      if (wasNotified) return
      unnotifiedSince ??= performance.now()
      if (performance.now() - unnotifiedSince < silenceMs) return
      log.warn({ ws: url!.name, head }, 'no notifications of new blocks over WebSocket: reconnecting')
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
        isNotified = true
        unnotifiedSince = undefined
      }
      // Also for the answer to the subscription: blocks may have come without a connection.
      notify()
    }
    opened.onclose = ({ code }) => {
      if (opened !== socket) return
      log.info({ ws: url!.name, code }, 'the WebSocket was closed: reconnecting')
      drop()
    }
    opened.onerror = () => {}
  }

  function notify(): void {
    if (wake) wake()
    else isMissed = true
  }

  function drop(): void {
    const closing = socket
    socket = undefined
    isNotified = false
    unnotifiedSince = undefined
    closing?.close()
    reconnect = setTimeout(connect, pauseMs)
    reconnect.unref()
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
