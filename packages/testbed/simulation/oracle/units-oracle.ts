import type { World } from '../world/world.ts'

/** A record of a unit, as the oracle knows it. */
export interface SeenRecord {
  readonly unit: number
  /** Its index among the records of its unit in this partition. */
  readonly index: number
  /** The run that published it. */
  readonly run: string
  /** Its attempt. */
  readonly attempt: string
}

/** Checks that each partition shows each unit once, whole and in order, and no record of a rejected attempt. */
export interface UnitsOracle {
  /** Records become visible to readers of committed records. */
  shown(partition: number, records: readonly SeenRecord[]): void
  /** A reader has read a record, which must be the next visible one. */
  readerHas(reader: string, partition: number, record: SeenRecord): void
  /** The claim of a run becomes visible. */
  claimed(run: string): void
  /** Whether the claim of a run is the newest one. */
  isNewest(run: string): boolean
  /** A run owns the topic. From now on, no record of a run with an earlier claim may become visible. */
  owns(run: string): void
  /** A program has learned that its attempt is not committed. */
  refused(attempt: string): void
  /** A program has learned that its attempt is committed. */
  committed(attempt: string): void
  /** Number of visible records of a partition. */
  count(partition: number): number
}

export function createUnitsOracle(world: World, partitions: number, recordsPerUnit: number): UnitsOracle {
  const shown = Array.from({ length: partitions }, (): SeenRecord[] => [])
  const read = new Map<string, number>()
  const refused = new Set<string>()
  const committed = new Set<string>()
  const claims: string[] = []
  let owner = -1

  const nameOf = ({ unit, index, attempt }: SeenRecord): string => `${unit}/${index} of ${attempt}`

  return {
    shown(partition, records) {
      const all = shown[partition]!
      for (const record of records) {
        const unit = Math.floor(all.length / recordsPerUnit)
        const index = all.length % recordsPerUnit
        if (record.unit !== unit || record.index !== index)
          world.fail(`partition ${partition} shows ${nameOf(record)} where ${unit}/${index} belongs`)
        if (refused.has(record.attempt)) world.fail(`partition ${partition} shows ${nameOf(record)}, which was refused`)
        if (claims.indexOf(record.run) < owner)
          world.fail(`partition ${partition} shows ${nameOf(record)}, and ${claims[owner]} has taken over`)
        all.push(record)
      }
    },
    readerHas(reader, partition, record) {
      const key = `${reader}/${partition}`
      const place = read.get(key) ?? 0
      const expected = shown[partition]![place]
      read.set(key, place + 1)
      if (expected === undefined) world.fail(`${reader} has read ${nameOf(record)}, which is not committed`)
      else if (expected.attempt !== record.attempt || expected.unit !== record.unit || expected.index !== record.index)
        world.fail(`${reader} has read ${nameOf(record)} instead of ${nameOf(expected)}`)
    },
    claimed(run) {
      if (claims.includes(run)) world.fail(`${run} has claimed twice`)
      claims.push(run)
    },
    isNewest: (run) => claims.at(-1) === run,
    owns(run) {
      owner = Math.max(owner, claims.indexOf(run))
    },
    refused(attempt) {
      if (committed.has(attempt)) world.fail(`${attempt} was refused after it was committed`)
      if (shown.some((all) => all.some((record) => record.attempt === attempt)))
        world.fail(`${attempt} was refused, and its records are there`)
      refused.add(attempt)
    },
    committed(attempt) {
      committed.add(attempt)
      if (!shown.some((all) => all.some((record) => record.attempt === attempt)))
        world.fail(`${attempt} was committed, and its records are not there`)
    },
    count: (partition) => shown[partition]!.length,
  }
}
