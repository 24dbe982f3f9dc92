import { type Checkpoint, checkpointRingSize, type NextSeqs } from '@headrace/catalog'

/** A unit that can still be reverted to. */
export interface StandingUnit {
  readonly unit: number
  /** Number of the standing unit before it; `null` for the first. */
  readonly previous: number | null
  readonly position: unknown
  /** The position as JSON text, by which positions are compared. */
  readonly json: string
  readonly nextSeq: NextSeqs
}

/** The units of a run that can be reverted to, up to the newest one yielded. */
export interface History {
  /** Their checkpoints, newest first. */
  positions(): readonly unknown[]
  /** Number of the newest unit; `undefined` before the first. */
  newest(): number | undefined
  oldest(): StandingUnit | undefined
  add(unit: StandingUnit): void
  /** The newest unit with this checkpoint. */
  find(json: string): StandingUnit | undefined
  /** Whether it holds every unit that stands, so that all of them can be taken back. */
  reachesStart(): boolean
  /** Forgets the units after this one, which is in it; `null`: all. Returns how many there were. */
  forgetAfter(unit: number | null): number
  /** Forgets the units before this one. */
  forgetBefore(unit: number): void
}

/** Begins with the units committed before that still stand, oldest first. */
export function createHistory(checkpoints: readonly Checkpoint[]): History {
  const units: StandingUnit[] = checkpoints.map(({ unit, previous, position, nextSeq }) => ({
    ...{ unit, previous, position, nextSeq },
    json: JSON.stringify(position),
  }))
  /** The positions as they were handed out last. Sources may ask at each unit: what is new goes before what is there. */
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
