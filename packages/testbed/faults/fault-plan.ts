import { expect, inject } from 'vitest'
import { createRandom, type Random } from '../random.ts'

/** How often a fault is injected: by `npm test`, by `npm run test:faults`, and by it with `--full`. */
export interface FaultCounts {
  readonly once: number
  readonly scaled: number
  readonly full: number
}

/** The faults of one test, planned and injected. */
export interface FaultPlan {
  /** How often to inject. */
  readonly count: number
  /** Reproducible choices, other ones in each test. */
  readonly random: Random
  /** Counts a fault that took place at a step. */
  hit(step: string): void
  /** Fails unless faults took place at every step, and at least `count` in all. Prints the counts. */
  expectAllHit(): void
}

/**
 * Plans the faults of one test.
 *
 * @param name - Name of the test; it is part of the seed.
 * @param steps - The steps at which a fault must take place at least once. Empty: any step.
 */
export function planFaults(name: string, counts: FaultCounts, steps: readonly string[]): FaultPlan {
  const count = counts[inject('faultScale')]
  const hits = new Map<string, number>(steps.map((step) => [step, 0]))
  return {
    count,
    random: createRandom(inject('faultSeed') ^ hashOf(name)),
    hit(step) {
      hits.set(step, (hits.get(step) ?? 0) + 1)
    },
    expectAllHit() {
      const total = [...hits.values()].reduce((sum, hits) => sum + hits, 0)
      const listed = [...hits].map(([step, hits]) => `${step} ${hits}`).join(', ')
      console.log(`${name}: ${total} faults (${listed}), seed ${inject('faultSeed')}`)
      const missed = [...hits].filter(([, hits]) => hits === 0).map(([step]) => step)
      expect(missed, 'steps at which no fault took place').toEqual([])
      expect(total, 'faults that took place').toBeGreaterThanOrEqual(count)
    },
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) | 0
  return hash
}
