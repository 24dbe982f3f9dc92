import type { HttpAnswer } from '../../../evm/src/rpc/http-connection.ts'
import { parseRetryAfter } from '../../../sdk/src/index.ts'
import type { World } from '../world/world.ts'

/** Checks that a client leaves an endpoint alone that asks for it, and seldom tries one that is away. */
export interface Manners {
  onRequest(): void
  onAnswer(answer: HttpAnswer | Error): void
}

/** What may be under way when the endpoint asks for a rest: what follows from that is sent too. */
const underWay = 16
/** `Retry-After` with a date has whole seconds. */
const dateMs = 1_000
const firstRestMs = 500
const longestRestMs = 60_000

export function createManners(world: World, name: string): Manners {
  let restUntil = Number.NEGATIVE_INFINITY
  let early = 0
  let failures = 0
  let failingSince = 0

  /** With rests that double from the shortest to the longest one. */
  function mostTries(ms: number): number {
    return underWay + 2 * Math.log2(1 + ms / firstRestMs) + (2 * ms) / longestRestMs
  }

  return {
    onRequest() {
      if (world.now() < restUntil && ++early > underWay)
        world.fail(`${name} has asked for a rest until ${restUntil} ms, and got ${early} requests`)
    },
    onAnswer(answer) {
      if (!(answer instanceof Error)) {
        failures = 0
        const ms = parseRetryAfter(answer.headers['retry-after'], Date.now())
        if (ms === undefined || world.now() + ms - dateMs < restUntil) return
        restUntil = world.now() + ms - dateMs
        early = 0
        return
      }
      if (failures === 0) failingSince = world.now()
      const failingMs = world.now() - failingSince
      if (++failures > mostTries(failingMs))
        world.fail(`${name} got ${failures} requests while it was away for ${failingMs} ms`)
    },
  }
}
