import { type Checkpoint, checkpointRingSize, type NextSeqs } from '@headrace/catalog'

export interface CanonicalUnit {
  readonly unit: number
  readonly previous: number | null
  readonly position: unknown
  /** The position as JSON, by which positions are compared. */
  readonly json: string
  readonly nextSeq: NextSeqs
}

export interface History {
  positions(): readonly unknown[]
  newest(): number | undefined
  oldest(): CanonicalUnit | undefined
  add(unit: CanonicalUnit): void
  find(json: string): CanonicalUnit | undefined
  /** Whether it holds every canonical unit, so that all of them can be reverted. */
  reachesStart(): boolean
  /** Removes later units; `null`: all. Returns their number. */
  forgetAfter(unit: number | null): number
  forgetBefore(unit: number): void
}

export function createHistory(checkpoints: readonly Checkpoint[]): History {
  const units: CanonicalUnit[] = checkpoints.map(({ unit, previous, position, nextSeq }) => ({
    ...{ unit, previous, position, nextSeq },
    json: JSON.stringify(position),
  }))
  /** The last result of `positions()`. Sources may call it for each unit, so only new units are added in front. */
  let positions: readonly unknown[] = []
  let added = units.length
  return {
    positions() {
      if (added === 0 && positions.length === units.length) return positions
      const newest = units.slice(units.length - added).map(({ position }) => position)
      positions = [...newest.reverse(), ...positions].slice(0, units.length)
      added = 0
      return positions
    },
    newest: () => units.at(-1)?.unit,
    oldest: () => units[0],
    add(unit) {
      units.push(unit)
      if (units.length > checkpointRingSize) units.shift()
      added = Math.min(added + 1, units.length)
    },
    find: (json) => units.findLast((unit) => unit.json === json),
    reachesStart: () => (units[0]?.previous ?? null) === null,
    forgetAfter(unit) {
      const kept = units.findLastIndex((other) => other.unit === unit) + 1
      positions = []
      added = kept
      return units.splice(kept).length
    },
    forgetBefore(unit) {
      const kept = units.findIndex((other) => other.unit >= unit)
      units.splice(0, kept)
      added = Math.min(added, units.length)
    },
  }
}
