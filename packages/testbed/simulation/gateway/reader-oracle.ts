import { decodeCursor } from '../../../catalog/src/index.ts'
import type { World } from '../world/world.ts'
import type { ReaderFilter } from './filters.ts'
import type { LogTruth } from './log-truth.ts'
import type { SeqRange } from './starts.ts'

/** A record, as a client gets it. */
export interface RecordJson {
  readonly partition: number
  readonly seq: string
  readonly unit: string
  readonly time: string
  readonly op: 'append' | 'revert'
  readonly reverts?: string
  readonly value: { readonly number: string }
  readonly skipped?: number
  readonly cursor: string
}

/** Fails when a reader misses a record, gets one twice, or gets a false report of a loss. */
export interface ReaderOracle {
  /**
   * The reader begins at one of these seqs in each partition. With `asOf` it reads what is canonical at that head, then
   * the log.
   */
  begin(next: readonly SeqRange[], asOf?: readonly number[]): void
  /** A page or a subscription begins at the place of the reader: the first `skipped` counts from there. */
  connected(): void
  record(record: RecordJson): void
  /** The reader gets a cursor of its current position. */
  cursor(cursor: string): void
  /** The gateway reports that the reader has all records up to a unit. */
  wholeThrough(unit: number): void
  /** The gateway reports that the reader has lost records. With a cursor the reader continues there. */
  lost(why: string, resumeAt?: string): void
  /** Whether it has all planned records. */
  isComplete(): boolean
}

export function createReaderOracle(
  world: World,
  truth: LogTruth,
  { reader, filter }: { readonly reader: string; readonly filter: ReaderFilter },
): ReaderOracle {
  const { plan } = truth
  let next: SeqRange[] = []
  let asOf: readonly number[] | undefined
  let offsets: bigint[] = []
  /** From where the next `skipped` counts, where it is known. */
  const counted = new Map<number, number>()
  /** Partitions in which it began after the last record, so that the next seq is not known. */
  const unnumbered = new Set<number>()

  const fail = (what: string): void => world.fail(`${reader} ${what}`)

  /** The lowest seq from which on all records before `seq` are dead for this reader, or left out. */
  function reach(partition: number, seq: number): number {
    let low = seq
    while (low > 0 && isLeftOut(partition, low - 1)) low--
    return low
  }

  function isLeftOut(partition: number, seq: number): boolean {
    const isDead = asOf !== undefined && plan.isDead(partition, seq, asOf[partition]!)
    return isDead || !filter.accepts(plan.logs[partition]![seq]!)
  }

  function isNext(partition: number, seq: number): boolean {
    const { min, max } = next[partition]!
    return reach(partition, seq) <= max && min <= seq
  }

  const rangeText = (partition: number): string => {
    const { min, max } = next[partition]!
    return min === max ? `${min}` : `${min} to ${max}`
  }

  return {
    connected() {
      counted.clear()
      for (const [partition, { min, max }] of next.entries())
        if (min === max && !unnumbered.has(partition)) counted.set(partition, min)
    },
    begin(ranges, head) {
      next = [...ranges]
      asOf = head
      offsets = ranges.map(() => -1n)
      counted.clear()
    },
    record(json) {
      const { partition } = json
      const seq = Number(json.seq)
      checkRecord(json)
      checkSkipped(json)
      if (!isNext(partition, seq)) fail(`is given ${seq} of partition ${partition} instead of ${rangeText(partition)}`)
      if (asOf && plan.isDead(partition, seq, asOf[partition]!))
        fail(`is given ${seq} of partition ${partition}, which was reverted as of ${asOf}`)
      next[partition] = { min: seq + 1, max: seq + 1 }
      this.cursor(json.cursor)
    },
    cursor(text) {
      const { partitions } = decodeCursor(text).topics[0]!
      for (const [partition, { offset, seq }] of partitions.entries()) {
        if (offset < offsets[partition]!) fail(`has a cursor that goes back to ${offset} from ${offsets[partition]}`)
        offsets[partition] = offset
        if (seq === null) unnumbered.add(partition)
        else unnumbered.delete(partition)
        const place = truth.seqAt(partition, offset)
        if (seq !== null && seq !== place)
          fail(`has a cursor that names ${seq} of partition ${partition}, not ${place}`)
        if (!isNext(partition, place))
          fail(`has a cursor before ${place} of partition ${partition} instead of ${rangeText(partition)}`)
        next[partition] = { min: place, max: place }
      }
    },
    wholeThrough(unit) {
      const { nextSeq } = plan.units[unit - 1]!
      for (const [partition, seq] of nextSeq.entries())
        if (next[partition]!.max < seq)
          fail(
            `is told that it is whole through unit ${unit}, and has not seen ${rangeText(partition)} of ${partition}`,
          )
    },
    lost(why, resumeAt) {
      const { kept } = truth.now()
      const lost = kept.flatMap((seq, partition) => (next[partition]!.min < seq ? [partition] : []))
      // The removed range after such a position may have held a record.
      const mayBeLost = [...unnumbered].some((partition) => truth.isRemoved(partition, offsets[partition]!))
      if (lost.length === 0 && !mayBeLost) fail(`is told that records are lost (${why}), and none is`)
      if (resumeAt === undefined) return
      const places = decodeCursor(resumeAt).topics[0]!.partitions
      const passed = lost.filter(
        (partition) => truth.seqAt(partition, places[partition]!.offset) > next[partition]!.max,
      )
      if (passed.length === 0 && !mayBeLost) fail(`is told that records are lost (${why}), and goes on before them`)
      for (const partition of passed) next[partition] = { min: 0, max: kept[partition]! }
      this.cursor(resumeAt)
      this.connected()
    },
    isComplete: () => plan.logs.every((log, partition) => next[partition]!.min >= log.length),
  }

  function checkSkipped({ partition, seq: text, skipped }: RecordJson): void {
    const seq = Number(text)
    const start = counted.get(partition)
    counted.set(partition, seq + 1)
    if ((skipped === undefined) !== (filter.text === undefined)) fail(`is given ${seq} with skipped ${skipped}`)
    if (!filter.accepts(plan.logs[partition]![seq]!)) fail(`is given ${seq}, which its filter leaves out`)
    if (skipped !== undefined && start !== undefined && start + skipped !== seq)
      fail(`is given ${seq} of partition ${partition} with skipped ${skipped} after ${start}`)
  }

  function checkRecord({ partition, seq: text, unit, time, op, reverts, value }: RecordJson): void {
    const seq = Number(text)
    const planned = truth.record(partition, seq)
    if (!planned || seq >= truth.now().shown[partition]!) {
      fail(`is given ${seq}, which is not committed`)
      return
    }
    const expected = {
      unit: `${planned.unit}`,
      time: Date.parse(time),
      op: planned.reverts === undefined ? 'append' : 'revert',
      reverts: planned.reverts === undefined ? undefined : `${planned.reverts}`,
      number: `${planned.reverts ?? seq}`,
    }
    const given = { unit, time: planned.time, op, reverts, number: value.number }
    if (JSON.stringify(given) !== JSON.stringify(expected))
      fail(`is given ${JSON.stringify(given)} instead of ${JSON.stringify(expected)}`)
  }
}
