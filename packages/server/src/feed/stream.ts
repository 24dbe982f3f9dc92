import { setTimeout as wait } from 'node:timers/promises'
import { nextSeqsOf } from '@headrace/catalog'
import { PositionLostError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { ApiKey } from '../access/keys/api-key.ts'
import { watchStall } from '../connection/watch-stall.ts'
import type { Limits } from '../options/limits.ts'
import type { StreamMeter } from '../usage/usage-meter.ts'
import type { Feed } from './feed.ts'
import { createSubscription, type Start, type Subscription } from './subscription.ts'
import type { EndReason, Gap, Progress, Transport } from './transport.ts'
import type { WholeUnits } from './whole-units.ts'

/** Where a subscription is. */
export interface TopicPlace {
  readonly cursor: string
  /** With a selection: the seqs at the cursor. */
  readonly nextSeqs?: readonly (string | null)[]
}

export interface Stream {
  readonly keyId: string
  readonly topics: readonly string[]
  has(topic: string): boolean
  add(feed: Feed, start: Start): void
  remove(topic: string): TopicPlace | undefined
  /** Ends the stream if the client does not read bytes that other code has written to the socket. */
  watchUnsent(): void
  /** Pauses sending until the function it returns is called. */
  hold(): () => void
  end(reason: EndReason): void
  close(): void
}

export interface StreamOptions {
  readonly key: ApiKey
  readonly transport: Transport
  readonly meter: StreamMeter
  readonly wholeUnits: WholeUnits
  readonly limits: Limits
  readonly log: Logger
  /** Checks the key again, because it may have changed while the start of a topic was resolved. */
  checkKey(): void
}

/** How long a heartbeat waits for the units that it reports. */
const maxUnitsWaitMs = 1000

export function createStream(options: StreamOptions): Stream {
  const { key, transport, meter, wholeUnits, limits, log } = options
  const { socket } = transport
  const subscriptions = new Map<string, Subscription>()
  let sentAt = performance.now()
  let gaps: Gap[] = []
  let turn = -1
  let holds = 0
  let ended = false
  let stall: (() => void) | undefined
  let heartbeat = setTimeout(sendHeartbeat, limits.heartbeatMs)
  socket.on('drain', pump)

  return {
    keyId: key.id,
    get topics() {
      return [...subscriptions.keys()]
    },
    has: (topic) => subscriptions.has(topic),
    add(feed, start) {
      if (ended) return
      if (start.gap) gaps.push(start.gap)
      const onGap = (gap: Gap) => void gaps.push(gap)
      const view = feed.view(start.selection, start.position.partitions)
      const subscription = createSubscription({ feed: view, start, onReady: pump, onGap, onFailure: fail })
      subscriptions.set(feed.topic.name, subscription)
      options.checkKey()
      pump()
    },
    remove(topic) {
      const subscription = subscriptions.get(topic)
      subscription?.close()
      subscriptions.delete(topic)
      gaps = gaps.filter((gap) => gap.topic !== topic)
      return subscription && placeOf(subscription)
    },
    watchUnsent() {
      if (isFull()) waitForRoom()
    },
    hold() {
      holds++
      return () => {
        holds--
        pump()
      }
    },
    end,
    close,
  }

  /** Writes records of the topics in turn until the client has enough unsent bytes. */
  function pump(): void {
    if (holds > 0 || ended) return
    sendGaps()
    const all = [...subscriptions.values()]
    for (let idle = 0; idle < all.length && !ended; ) {
      if (isFull()) {
        waitForRoom()
        return
      }
      turn = (turn + 1) % all.length
      const run = all[turn]!.next()
      sendGaps()
      idle = run ? 0 : idle + 1
      if (!run || run.records.length === 0) continue
      transport.records(run)
      meter.records += run.records.length
      sentAt = performance.now()
    }
  }

  function sendGaps(): void {
    for (const gap of gaps) transport.gap(gap)
    gaps = []
  }

  function isFull(): boolean {
    return socket.writableLength > limits.unsentBytes
  }

  function waitForRoom(): void {
    stall ??= watchStall(socket, limits.stallMs, (isStalled) => {
      if (isStalled) end('slow_consumer')
      else if (!isFull()) {
        stall?.()
        stall = undefined
        pump()
      }
    })
  }

  async function sendHeartbeat(): Promise<void> {
    const waitMs = sentAt + limits.heartbeatMs - performance.now()
    if (waitMs <= 0 && subscriptions.size > 0 && holds === 0 && !isFull()) {
      // An open transaction may delay reading units. The heartbeat is then sent without them.
      const units = await Promise.race([readUnits(), wait(maxUnitsWaitMs, {}, { ref: false })])
      if (ended) return
      if (holds === 0) transport.progress({ ...places(), units })
    }
    heartbeat = setTimeout(sendHeartbeat, waitMs > 0 ? waitMs : limits.heartbeatMs)
  }

  async function readUnits(): Promise<Record<string, string>> {
    const entries = [...subscriptions].map(async ([name, { topic, position }]) => {
      return [name, await wholeUnits.through(topic, position.places)]
    })
    return Object.fromEntries((await Promise.all(entries)).filter(([, unit]) => unit !== undefined))
  }

  function places(): Pick<Progress, 'cursors' | 'nextSeqs'> {
    const all = [...subscriptions].map(([name, subscription]) => [name, placeOf(subscription)] as const)
    const selected = all.filter(([, { nextSeqs }]) => nextSeqs)
    return {
      cursors: Object.fromEntries(all.map(([name, { cursor }]) => [name, cursor])),
      ...(selected.length > 0 && { nextSeqs: Object.fromEntries(selected.map(([name, at]) => [name, at.nextSeqs!])) }),
    }
  }

  function fail(error: unknown): void {
    log.warn({ key: key.id, err: error }, 'stream cannot continue')
    end(error instanceof PositionLostError ? 'position_unavailable' : 'overloaded')
  }

  function end(reason: EndReason): void {
    if (ended) return
    meter.endReason = reason
    log.info({ key: key.id, reason, unsent: socket.writableLength }, 'stream ended')
    sendGaps()
    if (subscriptions.size > 0) transport.progress({ ...places(), units: {} })
    close()
    transport.end(reason)
  }

  function close(): void {
    ended = true
    clearTimeout(heartbeat)
    stall?.()
    socket.off('drain', pump)
    for (const subscription of subscriptions.values()) subscription.close()
    subscriptions.clear()
  }
}

function placeOf({ position, selection }: Subscription): TopicPlace {
  return { cursor: position.cursor(), ...(selection && { nextSeqs: nextSeqsOf(position.places) }) }
}
