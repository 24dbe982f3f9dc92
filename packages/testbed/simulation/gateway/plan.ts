import type { Random } from '../../random.ts'

/** A planned record of a partition. */
export interface PlannedRecord {
  readonly partition: number
  readonly seq: number
  readonly unit: number
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  /** The seq of the record that it reverts. */
  readonly reverts?: number
}

/** Seqs that are dead from the revert in `last` on. Both ends are included. */
export interface PlannedInterval {
  readonly partition: number
  readonly first: number
  readonly last: number
}

export interface PlannedUnit {
  /** From 1. */
  readonly number: number
  readonly records: readonly PlannedRecord[]
  readonly dead: readonly PlannedInterval[]
  /** Next seq of each partition after this unit. */
  readonly nextSeq: readonly number[]
  /** The newest final unit, as this one reports it. */
  readonly final: PlannedUnit | null
}

/** The units of a source and the resulting logs. No fault changes them. */
export interface Plan {
  readonly partitions: number
  readonly units: readonly PlannedUnit[]
  readonly logs: readonly (readonly PlannedRecord[])[]
  /** Whether a record is dead as of a head, given by its next seq. */
  isDead(partition: number, seq: number, asOf: number): boolean
}

export interface PlanOptions {
  readonly partitions: number
  readonly units: number
}

/** Units of a few records. One in four reverts some earlier ones. */
export function createPlan(random: Random, { partitions, units: count }: PlanOptions): Plan {
  const logs = Array.from({ length: partitions }, (): PlannedRecord[] => [])
  const units: PlannedUnit[] = []
  const dead: PlannedInterval[] = []
  /** Canonical units, each with the ends of the logs before it. */
  let canonical: { readonly unit: number; readonly from: readonly number[] }[] = []
  let final = 0

  function append(records: PlannedRecord[], unit: number, partition: number, reverts?: number): void {
    const log = logs[partition]!
    const record = { partition, seq: log.length, unit, time: timeOf(unit), ...(reverts !== undefined && { reverts }) }
    log.push(record)
    records.push(record)
  }

  function revert(records: PlannedRecord[], unit: number): PlannedInterval[] {
    const revertible = canonical.filter((one) => one.unit > final)
    if (revertible.length === 0 || random.integer(4) > 0) return []
    const { unit: oldest, from } = random.pick(revertible)
    canonical = canonical.filter((one) => one.unit < oldest)
    return logs.flatMap((log, partition) => {
      const reverted = new Set(log.map(({ reverts }) => reverts))
      const live = log.filter(
        ({ seq, reverts }) => reverts === undefined && !reverted.has(seq) && seq >= from[partition]!,
      )
      if (live.length === 0) return []
      for (const { seq } of live.toReversed()) append(records, unit, partition, seq)
      return [{ partition, first: live[0]!.seq, last: log.length - 1 }]
    })
  }

  for (let number = 1; number <= count; number++) {
    const records: PlannedRecord[] = []
    const intervals = revert(records, number)
    dead.push(...intervals)
    canonical.push({ unit: number, from: logs.map((log) => log.length) })
    for (let partition = 0; partition < partitions; partition++)
      for (let left = random.pick([isFirst(number, partition) ? 1 : 0, 1, 1, 3]); left > 0; left--)
        append(records, number, partition)
    const settled = canonical.filter(({ unit }) => unit > final && unit < number)
    if (settled.length > 0 && random.integer(3) === 0) final = random.pick(settled).unit
    const nextSeq = logs.map((log) => log.length)
    units.push({ number, records, dead: intervals, nextSeq, final: units[final - 1] ?? null })
  }
  return {
    partitions,
    units,
    logs,
    isDead: (partition, seq, asOf) =>
      dead.some((one) => one.partition === partition && one.first <= seq && seq <= one.last && one.last < asOf),
  }
}

/** Without any record a reader would be complete at the start. */
const isFirst = (unit: number, partition: number): boolean => unit === 1 && partition === 0

/** Each unit is a second later than the previous one. */
export function timeOf(unit: number): number {
  return 1_767_000_000_000 + unit * 1000
}
