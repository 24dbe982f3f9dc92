import type { Random } from '../../random.ts'
import type { LogBounds } from './log-truth.ts'
import { type Plan, timeOf } from './plan.ts'

/** A range that contains the next seq. */
export interface SeqRange {
  readonly min: number
  readonly max: number
}

/** A start position of a reader. */
export interface StartPosition {
  readonly from: string
  /** The seq of the position in each partition, for the given logs. */
  at(bounds: LogBounds): readonly number[]
}

export function pickStart(random: Random, plan: Plan): StartPosition {
  const count = 1 + random.integer(6)
  const time = timeOf(1 + random.integer(plan.units.length)) - random.integer(2)
  return random.pick<StartPosition>([
    { from: 'earliest', at: ({ kept }) => kept },
    { from: 'latest', at: ({ shown }) => shown },
    { from: `last:${count}`, at: (bounds) => lastOf(plan, bounds, count) },
    { from: new Date(time).toISOString(), at: (bounds) => since(plan, bounds, time) },
    {
      from: 'final',
      at: ({ final, kept, shown }) => final.map((seq, p) => Math.max(kept[p]!, Math.min(seq, shown[p]!))),
    },
  ])
}

/** The possible results of a lookup between two moments. */
export function between(start: StartPosition, before: LogBounds, after: LogBounds): SeqRange[] {
  const mixed = [before, after].flatMap(({ kept }) =>
    [before, after].flatMap(({ shown }) => [before, after].map(({ final }) => start.at({ kept, shown, final }))),
  )
  return before.kept.map((_, partition) => {
    const seqs = mixed.map((one) => one[partition]!)
    return { min: Math.min(...seqs), max: Math.max(...seqs) }
  })
}

function lastOf({ logs }: Plan, { kept, shown }: LogBounds, count: number): number[] {
  const next = [...shown]
  for (let taken = 0; taken < count; taken++) {
    let newest: number | undefined
    for (const [partition, log] of logs.entries()) {
      if (next[partition]! <= kept[partition]!) continue
      const { time } = log[next[partition]! - 1]!
      if (newest === undefined || time >= logs[newest]![next[newest]! - 1]!.time) newest = partition
    }
    if (newest === undefined) break
    next[newest]!--
  }
  return next
}

function since({ logs }: Plan, { kept, shown }: LogBounds, time: number): number[] {
  return logs.map((log, partition) => {
    const found = log.findIndex((record) => record.time >= time)
    const seq = found < 0 ? log.length : found
    return Math.max(kept[partition]!, Math.min(seq, shown[partition]!))
  })
}
