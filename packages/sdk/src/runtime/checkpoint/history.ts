import { type Checkpoint, checkpointRingSize, type NextSeqs } from '@headrace/catalog'

/** A unit that can still be reverted to. */
interface StandingUnit {
  readonly unit: number
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
  add(unit: StandingUnit): void
  /** The newest unit with this checkpoint. */
  find(json: string): StandingUnit | undefined
  /** Forgets the units before this one. */
  forgetBefore(unit: number): void
}

/** Begins with the newest unit committed before. */
export function createHistory(checkpoint: Checkpoint | undefined): History {
  const units: StandingUnit[] = []
  if (checkpoint) {
    const { unit, position, nextSeq } = checkpoint
    units.push({ unit, position, json: JSON.stringify(position), nextSeq })
  }
  return {
    positions: () => units.map(({ position }) => position).reverse(),
    newest: () => units.at(-1)?.unit,
    add(unit) {
      units.push(unit)
      if (units.length > checkpointRingSize) units.shift()
    },
    find: (json) => units.findLast((unit) => unit.json === json),
    forgetBefore(unit) {
      const kept = units.findIndex((other) => other.unit >= unit)
      units.splice(0, kept)
    },
  }
}
