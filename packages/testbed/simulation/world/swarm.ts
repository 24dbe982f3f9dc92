import { createRandom, type Random } from '../../random.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'

/** A fault that has happened. */
export interface Strike {
  readonly kind: FaultKind
  /** Number of the occasion among those of its kind, from 1. */
  readonly occasion: number
}

/** The faults of one seed. */
export interface Swarm {
  /** Rates per 1,000 occasions. A kind that is absent never happens. */
  readonly rates: ReadonlyMap<FaultKind, number>
  /** The fault that happens on this occasion. */
  strike(kind: FaultKind): Strike | undefined
  /** The faults so far, in order. */
  readonly struck: readonly Strike[]
}

/**
 * Draws the kinds and their rates. Many seeds have only one to three kinds, and some none, so that rare faults also
 * happen alone. Each kind has its own random choices, which do not depend on the other kinds.
 *
 * @param only Names of the only faults that may happen, as `nameOf` returns them. It is used to shrink a failure.
 */
export function createSwarm(seed: number, kinds: readonly FaultKind[], only?: ReadonlySet<string>): Swarm {
  const random = createRandom(seed ^ 0x5eed)
  const drawn = new Map<FaultKind, Drawn>()
  const draw = (kind: FaultKind): void => {
    const rate = random.pick<number>(faultKinds[kind])
    drawn.set(kind, { rate, random: createRandom(random.integer(2 ** 32)), occasions: 0 })
  }
  const few = random.integer(10)
  if (few >= 5) for (const kind of kinds) random.integer(2) === 0 && draw(kind)
  else for (let count = Math.min(few, kinds.length); count > 0; count--) draw(random.pick(kinds))
  const struck: Strike[] = []
  return {
    rates: new Map([...drawn].map(([kind, { rate }]) => [kind, rate])),
    struck,
    strike(kind) {
      const own = drawn.get(kind)
      if (!own) return undefined
      own.occasions++
      if (own.random.integer(1000) >= own.rate) return undefined
      const strike = { kind, occasion: own.occasions }
      if (only && !only.has(nameOf(strike))) return undefined
      struck.push(strike)
      return strike
    },
  }
}

interface Drawn {
  readonly rate: number
  readonly random: Random
  occasions: number
}

/** Such as `leader moved 3`. */
export function nameOf({ kind, occasion }: Strike): string {
  return `${kind} ${occasion}`
}
