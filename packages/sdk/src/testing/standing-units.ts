import { AssertionError } from 'node:assert'
import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'

/**
 * Which of the units, in the order in which they were yielded, none of those after them has taken back.
 *
 * @throws {AssertionError} a unit takes back to a checkpoint that none of those that stand has.
 */
export function standingUnits<S extends Schema, C>(units: Iterable<Unit<S, C>>): Unit<S, C>[] {
  const standing: Unit<S, C>[] = []
  for (const unit of units) addUnit(standing, unit)
  return standing
}

/** Takes back what a unit takes back, and adds it. */
export function addUnit<S extends Schema, C>(standing: Unit<S, C>[], unit: Unit<S, C>): void {
  if (unit.revertTo !== undefined) standing.splice(keptBy(unit.revertTo, standing))
  standing.push(unit)
}

/** How many of the standing units are left. */
function keptBy<S extends Schema, C>(revertTo: C | null, standing: readonly Unit<S, C>[]): number {
  if (revertTo === null) return 0
  const target = JSON.stringify(revertTo)
  const kept = standing.findLastIndex(({ checkpoint }) => JSON.stringify(checkpoint) === target) + 1
  if (kept > 0) return kept
  throw new AssertionError({
    message: `A unit takes back to the checkpoint ${target}, which none of those that stand has.`,
    actual: revertTo,
    expected: standing.map(({ checkpoint }) => checkpoint),
    operator: 'includes',
  })
}
