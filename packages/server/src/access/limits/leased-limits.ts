import { overloaded } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { type FromLimits, leaseMs, type ToLimits } from './limit-messages.ts'
import { type LimitStore, type Opened, once, type Taken } from './limit-store.ts'
import { bucketState } from './token-bucket.ts'

/** A store that shares its limits with other gateways, through a process that uses `createSharedLimits`. */
export interface LeasedLimits extends LimitStore {
  receive(message: FromLimits): void
  close(): void
}

export interface LeasedLimitsOptions {
  /** Must keep the order of messages. */
  send(message: ToLimits): void
  /** Longest wait for an answer, in ms. Then requests are refused with `overloaded`. Default 5000. */
  readonly answerMs?: number
}

interface Use {
  caller: Caller
  /** Leased tokens that are not used yet. */
  tokens: number
  /** When the lease ends, if there is one. */
  leasedUntil: number | undefined
  /** How many tokens were asked for; 0: no answer is awaited. */
  asked: number
  readonly waiting: Waiting[]
  /** Until then, there is no token: requests are refused without asking. */
  emptyUntil: number
  /** Tokens in the shared bucket at the last answer. */
  left: number
  answeredAt: number
}

interface Waiting {
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: Error) => void
  readonly deadline: number
}

/** Between two looks for leases that end, in ms. */
const lookMs = 50
/** An update of the key, or a lease that was not returned in time, may make tokens available earlier. In ms. */
const longestEmptyMs = 1000

/** A request with a leased token is decided without a promise. Others wait for an answer of the other process. */
export function createLeasedLimits({ send, answerMs = 5000 }: LeasedLimitsOptions): LeasedLimits {
  const uses = new Map<string, Use>()
  const opening = new Map<number, (answer: Extract<FromLimits, { type: 'opened' }>) => void>()
  let requests = 0
  const looks = setInterval(look, lookMs).unref()
  return {
    takeRequest(caller) {
      const use = useOf(caller)
      if (use.tokens >= 1) {
        use.tokens--
        return taken(use, true)
      }
      if (use.waiting.length === 0 && performance.now() < use.emptyUntil) return taken(use, false)
      return new Promise((resolve, reject) => {
        use.waiting.push({ resolve, reject, deadline: performance.now() + answerMs })
        if (use.waiting.length === 1) queueMicrotask(() => ask(use))
      })
    },
    openConnection,
    receive(message) {
      if (message.type === 'opened') opening.get(message.request)?.(message)
      else if (message.type === 'leased') answer(message)
      else {
        const use = uses.get(message.id)
        if (use?.leasedUntil !== undefined) endLease(use)
      }
    },
    close: () => clearInterval(looks),
  }

  function useOf(caller: Caller): Use {
    const known = uses.get(caller.id)
    if (!known) {
      const made: Use = {
        ...{ caller, tokens: 0, leasedUntil: undefined, asked: 0, waiting: [], emptyUntil: 0 },
        ...{ left: caller.burst, answeredAt: performance.now() },
      }
      uses.set(caller.id, made)
      return made
    }
    if (known.caller.rate !== caller.rate || known.caller.burst !== caller.burst) known.emptyUntil = 0
    known.caller = caller
    return known
  }

  function ask(use: Use): void {
    if (use.asked > 0 || use.waiting.length === 0) return
    use.leasedUntil = undefined
    use.asked = use.waiting.length
    send({ type: 'lease', caller: use.caller, want: use.asked })
  }

  function answer({ id, tokens, left }: Extract<FromLimits, { type: 'leased' }>): void {
    const use = uses.get(id)!
    const now = performance.now()
    const isLast = tokens < use.asked
    // Only more tokens than asked for are leased.
    const leasedUntil = tokens > use.asked ? now + leaseMs : undefined
    Object.assign(use, { tokens, left, answeredAt: now, asked: 0, leasedUntil })
    if (isLast) use.emptyUntil = now + Math.min(longestEmptyMs, ((1 - left) / use.caller.rate) * 1000)
    while (use.waiting.length > 0 && (use.tokens >= 1 || isLast)) {
      const { resolve } = use.waiting.shift()!
      const isAllowed = use.tokens >= 1
      if (isAllowed) use.tokens--
      resolve(taken(use, isAllowed))
    }
    ask(use)
  }

  function taken({ caller, tokens, left, answeredAt }: Use, isAllowed: boolean): Taken {
    const refilled = left + ((performance.now() - answeredAt) / 1000) * caller.rate
    const known = isAllowed ? refilled + tokens : Math.min(refilled, 1 - Number.EPSILON)
    return { isAllowed, ...bucketState({ ...caller, tokens: Math.min(caller.burst, known) }) }
  }

  function look(): void {
    const now = performance.now()
    for (const [id, use] of uses) {
      while (use.waiting[0] && use.waiting[0].deadline < now) use.waiting.shift()!.reject(noAnswer())
      if (use.leasedUntil !== undefined && use.leasedUntil <= now) endLease(use)
      if (use.leasedUntil === undefined && use.asked === 0 && use.waiting.length === 0 && use.emptyUntil <= now)
        uses.delete(id)
    }
  }

  function endLease(use: Use): void {
    send({ type: 'return', id: use.caller.id, unused: use.tokens })
    use.tokens = 0
    use.leasedUntil = undefined
  }

  function openConnection(caller: Caller): Promise<Opened> {
    const request = requests++
    return new Promise((resolve, reject) => {
      let isLate = false
      const deadline = setTimeout(() => {
        isLate = true
        reject(noAnswer())
      }, answerMs)
      opening.set(request, ({ isAllowed, others }) => {
        opening.delete(request)
        const close = once(() => send({ type: 'close', id: caller.id }))
        // After the deadline, nobody has the connection.
        if (isAllowed && isLate) close()
        clearTimeout(deadline)
        resolve(isAllowed ? { others, close } : { others })
      })
      send({ type: 'open', caller, request })
    })
  }
}

function noAnswer(): Error {
  return overloaded('The limits of this gateway cannot be read at the moment. Try again.')
}
