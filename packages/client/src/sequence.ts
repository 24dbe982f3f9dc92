import type { DataRecord } from './batch.ts'
import { RecordsMissingError } from './errors.ts'

export interface Sequence {
  /**
   * Whether a record is the next one of its partition. An error if records before it are missing; it then counts as
   * read.
   */
  take(record: DataRecord<unknown>): 'next' | 'repeated' | RecordsMissingError
  /** Everything before these seqs was read, or left out by a filter. */
  cover(nextSeqs: NextSeqs): void
  /** A page or a subscription begins at these seqs: its first `skipped` counts from there. */
  begin(nextSeqs: NextSeqs): void
  /** The next new record of each partition may have any seq. */
  allowJump(): void
}

/** For each partition; `null`: not known. */
export type NextSeqs = readonly (string | null)[]

export interface SequenceOptions {
  readonly order: 'asc' | 'desc'
  /** `canonical` omits reverted records, so a skipped seq is not a loss. */
  readonly view: 'canonical' | 'log'
}

/** The first record of a partition may have any seq: the gateway checks it. */
export function createSequence({ order, view }: SequenceOptions): Sequence {
  const step = order === 'asc' ? 1 : -1
  const expected = new Map<number, number>()
  /** From where the next `skipped` counts. */
  const counted = new Map<number, number>()
  const last = new Map<number, number>()
  const mayJump = new Set<number>()
  return {
    take(record) {
      const { topic, partition, seq: text, skipped = 0 } = record
      // Records of foreign programs have no seq.
      if (text === null) return 'next'
      const seq = Number(text)
      const next = expected.get(partition)
      const start = (record.skipped === undefined ? next : counted.get(partition)) ?? seq - skipped * step
      counted.set(partition, seq + step)
      if (next !== undefined && (seq - next) * step < 0) return 'repeated'
      expected.set(partition, seq + step)
      const before = last.get(partition)
      last.set(partition, seq)
      if (mayJump.delete(partition)) return 'next'
      const isLater = next !== undefined && (start - next) * step > 0
      const awaited = isLater ? next : start + skipped * step
      // The gateway counts from the start of the subscription, and the program from the record before.
      if (record.skipped !== undefined && before !== undefined && seq === awaited)
        Object.assign(record, { skipped: (seq - before) * step - 1 })
      if (seq === awaited || view === 'canonical') return 'next'
      return new RecordsMissingError({ topic, partition }, { expected: awaited, found: seq })
    },
    cover,
    begin(nextSeqs) {
      // The cursor of a record is also behind what was left out of other partitions.
      if (nextSeqs.length > 1) cover(nextSeqs)
      for (const [partition, text] of nextSeqs.entries())
        if (text === null) counted.delete(partition)
        else counted.set(partition, Number(text))
    },
    allowJump() {
      for (const partition of expected.keys()) mayJump.add(partition)
    },
  }

  function cover(nextSeqs: NextSeqs): void {
    for (const [partition, text] of nextSeqs.entries()) {
      const known = expected.get(partition)
      if (text !== null && (known === undefined || (Number(text) - known) * step > 0))
        expected.set(partition, Number(text))
    }
  }
}
