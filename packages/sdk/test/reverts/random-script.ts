import type { Random } from '../../../testbed/random.ts'
import { parseScript, type ScriptedUnit } from './script.ts'

/**
 * Units of a source with random reverts, mostly of the last few units, and to its start while nothing is
 * final, with or without replacements. A unit has up to `most` transactions.
 */
export function randomScript(random: Random, length: number, most = 3): ScriptedUnit[] {
  const entries: string[] = []
  const canonical: string[] = []
  let final = 0
  for (let branch = 0; entries.length < length; ) {
    const revertible = canonical.length - final
    if (revertible > 0 && random.integer(4) === 0) {
      branch++
      canonical.splice(canonical.length - randomDepth(random, revertible))
      const name = nameOf(branch, canonical.length)
      entries.push(`${canonical.at(-1) ?? ''}<${name}`)
      canonical.push(name)
    } else {
      const name = nameOf(branch, canonical.length)
      canonical.push(name)
      if (random.integer(25) === 0) final = canonical.length
      entries.push(final === canonical.length ? `${name}!` : name)
    }
  }
  return parseScript(entries.join(' ')).map((unit) => widened(unit, random.integer(most + 1)))
}

function randomDepth(random: Random, height: number): number {
  const depth = random.integer(8) === 0 ? random.integer(height + 1) : random.integer(4)
  return Math.min(depth, height)
}

/** The block names of a branch are unique. */
function nameOf(branch: number, height: number): string {
  return `${String.fromCharCode(97 + (branch % 26))}${Math.floor(branch / 26) * 1000 + height}`
}

function widened(unit: ScriptedUnit, count: number): ScriptedUnit {
  const [block] = unit.messages?.Block ?? []
  if (!block) return unit
  const { seconds } = block
  const transactions = Array.from({ length: count }, (_, index) => ({
    ...{ seconds, Hash: `${block.Hash}-${index}`, From: Buffer.from(block.Hash) },
  }))
  return { ...unit, messages: { Block: [block], Transaction: transactions } }
}
