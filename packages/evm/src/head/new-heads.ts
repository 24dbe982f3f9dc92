import { addAbortListener } from 'node:events'
import { parseWsUrl } from '../rpc/endpoint-url.ts'
import type { Log } from '../source/block-source.ts'

/** Notifications of new blocks from a node's WebSocket. None is required, because the head is polled as well. */
export interface NewHeads {
  /** Resolves at the next notification, at once if one came since the last wait, or after `ms`. One call at a time. */
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
  let notified = Promise.withResolvers<void>()
  let lastHead = -1
  let isNotified = false
  let unnotifiedSince: number | undefined
  if (url) connect()

  return {
    async wait(ms, signal) {
      using _ = addAbortListener(signal, notify)
      const timer = setTimeout(notify, ms)
      await notified.promise
      notified = Promise.withResolvers()
      clearTimeout(timer)
      signal.throwIfAborted()
    },
    polled(head) {
      const hasMoved = head > lastHead && lastHead !== -1
      lastHead = Math.max(head, lastHead)
      if (!socket || !hasMoved) return
      if (!isNotified) unnotifiedSince ??= performance.now()
      isNotified = false
      if (unnotifiedSince === undefined || performance.now() - unnotifiedSince < silenceMs) return
      log.warn({ ws: url!.origin, head }, 'no notifications of new blocks over WebSocket: reconnecting')
      drop()
    },
    close() {
      clearTimeout(reconnect)
      disconnect()
    },
  }

  function connect(): void {
    const opened = new WebSocket(url!)
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
      log.info({ ws: url!.origin, code }, 'the WebSocket was closed: reconnecting')
      drop()
    }
    opened.onerror = () => {}
  }

  function notify(): void {
    notified.resolve()
  }

  function drop(): void {
    disconnect()
    isNotified = false
    unnotifiedSince = undefined
    reconnect = setTimeout(connect, pauseMs)
    reconnect.unref()
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }

  function disconnect(): void {
    const closing = socket
    // First, because `onclose` reconnects a current socket.
    socket = undefined
    closing?.close()
  }
}

const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
