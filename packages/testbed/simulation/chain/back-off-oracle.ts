import type { HttpAnswer } from '../../../evm/src/rpc/http-connection.ts'
import { parseRetryAfter } from '../../../sdk/src/index.ts'
import type { World } from '../world/world.ts'

/** Checks that a client backs off when an endpoint asks for it, and seldom retries one that is down. */
export interface BackOffOracle {
  onRequest(): void
  onAnswer(answer: HttpAnswer | Error): void
}

/** Requests that may be in flight, or follow from those, when the endpoint asks to back off. */
const maxInFlight = 16
/** Resolution of a date in `Retry-After`. */
const dateMs = 1_000
const firstBackOffMs = 500
const longestBackOffMs = 60_000

export function createBackOffOracle(world: World, name: string): BackOffOracle {
  let backOffUntil = Number.NEGATIVE_INFINITY
  let early = 0
  let failures = 0
  let failingSince = 0

  /** Maximum number of failures in `ms`, with pauses that double from the shortest to the longest one. */
  function maxFailures(ms: number): number {
    return maxInFlight + 2 * Math.log2(1 + ms / firstBackOffMs) + (2 * ms) / longestBackOffMs
  }

  return {
    onRequest() {
      if (world.now() < backOffUntil && ++early > maxInFlight)
        world.fail(`${name} has asked to back off until ${backOffUntil} ms, and got ${early} requests`)
    },
    onAnswer(answer) {
      if (!(answer instanceof Error)) {
        failures = 0
        const ms = parseRetryAfter(answer.headers['retry-after'], Date.now())
        if (ms === undefined || world.now() + ms - dateMs < backOffUntil) return
        backOffUntil = world.now() + ms - dateMs
        early = 0
        return
      }
      if (failures === 0) failingSince = world.now()
      const failingMs = world.now() - failingSince
      if (++failures > maxFailures(failingMs))
        world.fail(`${name} got ${failures} requests while it was away for ${failingMs} ms`)
    },
  }
}
