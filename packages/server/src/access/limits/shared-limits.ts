import type { Caller } from './caller.ts'
import { createCallerTable } from './caller-table.ts'
import { type FromLimits, leaseMs, type ToLimits } from './limit-messages.ts'
import {
  createTokenBucket,
  fill,
  isFull,
  lendTokens,
  limitBucket,
  settleTokens,
  type TokenBucket,
} from './token-bucket.ts'

/**
 * Keeps the limits of callers for several gateways, each of which uses `createLeasedLimits`. There is one bucket of
 * requests and one count of connections for each caller.
 *
 * A gateway leases some tokens more than it needs at once, so that it can decide about the next requests by itself. It
 * returns the unused ones after `leaseMs`, or at once when another gateway needs them: so exactly the tokens of the bucket
 * are used, by whichever gateways, and no request is refused while one of them is left anywhere.
 */
export interface SharedLimits {
  /** Adds a gateway. `send` must keep the order of messages, and may lose them only if the gateway is dead. */
  join(send: (message: FromLimits) => void): LimitMember
}

export interface LimitMember {
  receive(message: ToLimits): void
  /** The gateway is dead: closes its connections. The tokens of its leases count as used. */
  leave(): void
}

export interface SharedLimitsOptions {
  /** Monotonic, in ms. */
  readonly clock?: () => number
  /** Time in which a gateway returns a recalled lease, in ms. Otherwise the lease stays open. Default 1000. */
  readonly recallMs?: number
}

interface Use {
  readonly bucket: TokenBucket
  /** Tokens of open leases. */
  readonly leases: Map<Gateway, number>
  readonly connections: Map<Gateway, number>
  /** In order of arrival. The first one may wait for `recall`. */
  asks: readonly Ask[]
  recall: Recall | undefined
}

interface Gateway {
  send(message: FromLimits): void
}

interface Ask {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly want: number
  /** Whether other gateways were asked to return their leases. */
  isRecalled: boolean
}

interface Recall {
  readonly from: Set<Gateway>
  readonly timer: NodeJS.Timeout
}

export function createSharedLimits(options: SharedLimitsOptions = {}): SharedLimits {
  const { clock = () => performance.now(), recallMs = 1000 } = options
  const gateways = new Set<Gateway>()
  const uses = createCallerTable<Use>({ make, isUnused, isOpen })
  return {
    join(send) {
      const gateway: Gateway = { send }
      gateways.add(gateway)
      return {
        // Messages may still arrive after a gateway has ended.
        receive: (message) => void (gateways.has(gateway) && receive(gateway, message)),
        leave() {
          gateways.delete(gateway)
          for (const use of uses.all()) forget(use, gateway)
        },
      }
    },
  }

  function receive(gateway: Gateway, message: ToLimits): void {
    if (message.type === 'lease') {
      const { caller, want } = message
      const use = uses.of(caller)
      endLease(use, gateway, 0)
      use.asks = [...use.asks, { gateway, caller, want, isRecalled: false }]
      answerAsks(use)
    } else if (message.type === 'return') {
      const use = uses.find(message.id)
      if (use) endLease(use, gateway, message.unused)
    } else if (message.type === 'open') openConnection(gateway, message)
    else {
      const { connections } = uses.find(message.id) ?? {}
      connections?.set(gateway, connections.get(gateway)! - 1)
    }
  }

  function answerAsks(use: Use): void {
    while (use.asks.length > 0 && !use.recall) {
      const ask = use.asks[0]!
      limitBucket(use.bucket, ask.caller, clock())
      fill(use.bucket, clock())
      if (use.bucket.tokens < ask.want && !ask.isRecalled) {
        ask.isRecalled = true
        if (recallLeases(use, ask.caller.id)) return
      }
      use.asks = use.asks.slice(1)
      lease(use, ask)
    }
  }

  function lease({ bucket, leases: open }: Use, { gateway, caller, want }: Ask): void {
    const needed = Math.min(want, Math.floor(bucket.tokens))
    bucket.tokens -= needed
    const share = Math.min(bucket.tokens / (2 * gateways.size), (caller.rate * leaseMs) / 1000)
    const ahead = Math.floor(share)
    if (ahead > 0) {
      lendTokens(bucket, ahead)
      open.set(gateway, ahead)
    }
    gateway.send({ type: 'leased', id: caller.id, tokens: needed + ahead, left: bucket.tokens })
  }

  /** Whether any must be returned before the first ask can be answered. */
  function recallLeases(use: Use, id: string): boolean {
    if (use.leases.size === 0) return false
    const timer = setTimeout(() => finishRecall(use), recallMs)
    use.recall = { from: new Set(use.leases.keys()), timer }
    for (const gateway of use.leases.keys()) gateway.send({ type: 'recall', id })
    return true
  }

  function endLease(use: Use, gateway: Gateway, unused: number): void {
    const lent = use.leases.get(gateway)
    if (lent === undefined) return
    use.leases.delete(gateway)
    settleTokens(use.bucket, lent, unused, clock())
    use.recall?.from.delete(gateway)
    if (use.recall?.from.size === 0) finishRecall(use)
  }

  function finishRecall(use: Use): void {
    clearTimeout(use.recall?.timer)
    use.recall = undefined
    answerAsks(use)
  }

  function openConnection(gateway: Gateway, { caller, request }: Extract<ToLimits, { type: 'open' }>): void {
    const { connections } = uses.of(caller)
    const others = [...connections.values()].reduce((sum, count) => sum + count, 0)
    const isAllowed = others < caller.connections
    if (isAllowed) connections.set(gateway, (connections.get(gateway) ?? 0) + 1)
    gateway.send({ type: 'opened', request, isAllowed, others })
  }

  function forget(use: Use, gateway: Gateway): void {
    use.connections.delete(gateway)
    use.asks = use.asks.filter((ask) => ask.gateway !== gateway)
    endLease(use, gateway, 0)
  }

  function make(caller: Caller): Use {
    const bucket = createTokenBucket(caller, clock())
    return { bucket, leases: new Map(), connections: new Map(), asks: [], recall: undefined }
  }

  function isUnused(use: Use): boolean {
    return !isOpen(use) && isFull(use.bucket, clock())
  }

  function isOpen({ leases, asks, connections }: Use): boolean {
    return leases.size > 0 || asks.length > 0 || [...connections.values()].some((count) => count > 0)
  }
}
