import { expect, test } from 'vitest'
import type { FaultKind } from './fault-kinds.ts'
import { createSwarm, nameOf, type Swarm } from './swarm.ts'

const kinds: readonly FaultKind[] = ['leader moved', 'broker killed', 'program killed', 'throttled', 'epochs used up']

function strikesOf(swarm: Swarm, occasions = 50): string[] {
  for (let occasion = 0; occasion < occasions; occasion++) for (const kind of kinds) swarm.strike(kind)
  return swarm.struck.map(nameOf)
}

test('the same seed has the same faults', () => {
  expect(strikesOf(createSwarm(7, kinds))).toEqual(strikesOf(createSwarm(7, kinds)))
})

test('some seeds have no kind of fault, many have one to three, and each kind is alone in some seed', () => {
  const drawn = Array.from({ length: 500 }, (_, seed) => [...createSwarm(seed, kinds).rates.keys()])
  expect(drawn.filter((kinds) => kinds.length === 0).length).toBeGreaterThan(20)
  expect(drawn.filter(({ length }) => length > 0 && length <= 3).length).toBeGreaterThan(200)
  for (const kind of kinds) expect(drawn).toContainEqual([kind])
})

test('omitting faults does not change the others', () => {
  const seed = Array.from({ length: 100 }, (_, seed) => seed).find((seed) => createSwarm(seed, kinds).rates.size === 5)!
  const all = strikesOf(createSwarm(seed, kinds))
  const kept = all.filter((_, index) => index % 3 === 0)
  expect(kept.length).toBeGreaterThan(5)
  expect(strikesOf(createSwarm(seed, kinds, new Set(kept)))).toEqual(kept)
})

test('a kind of fault that a scenario does not have never happens', () => {
  for (let seed = 0; seed < 50; seed++) {
    const swarm = createSwarm(seed, ['throttled'])
    expect(strikesOf(swarm).filter((name) => !name.startsWith('throttled'))).toEqual([])
  }
})
