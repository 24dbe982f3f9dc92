import type { DataRecord } from './batch.ts'
import { RecordsMissingError } from './errors.ts'

export interface Sequence {
  /**
   * Whether a record is the next one of its partition. An error if records before it are missing; it then counts as
   * read.
   */
  take(record: DataRecord<unknown>): 'next' | 'repeated' | RecordsMissingError
  /** Everything before these seqs was read, or left out by a filter. */
  moveTo(nextSeqs: readonly (string | null)[]): void
  /** The next new record of each partition may have any seq. */
  allowJump(): void
}

export interface SequenceOptions {
  readonly order: 'asc' | 'desc'
  /** `canonical` omits reverted records, so a skipped seq is not a loss. */
  readonly view: 'canonical' | 'log'
}

/** The first record of a partition may have any seq: the gateway checks it. */
export function createSequence({ order, view }: SequenceOptions): Sequence {
  const step = order === 'asc' ? 1 : -1
  const expected = new Map<number, number>()
  const last = new Map<number, number>()
  const mayJump = new Set<number>()
  return {
    take(record) {
      const { topic, partition, seq: text, skipped = 0 } = record
      // Records of foreign programs have no seq.
      if (text === null) return 'next'
      const seq = Number(text)
      const next = expected.get(partition) ?? seq - skipped * step
      if ((seq - next) * step < 0) return 'repeated'
      expected.set(partition, seq + step)
      const before = last.get(partition)
      last.set(partition, seq)
      const awaited = next + skipped * step
      if (mayJump.delete(partition)) return 'next'
      // From a later cursor than that of the last record, the gateway counts from there.
      if (record.skipped !== undefined && before !== undefined && seq === awaited)
        Object.assign(record, { skipped: (seq - before) * step - 1 })
      if (seq === awaited || view === 'canonical') return 'next'
      return new RecordsMissingError({ topic, partition }, { expected: awaited, found: seq })
    },
    moveTo(nextSeqs) {
      for (const [partition, text] of nextSeqs.entries()) {
        const known = expected.get(partition)
        if (text !== null && (known === undefined || (Number(text) - known) * step > 0))
          expected.set(partition, Number(text))
      }
    },
    allowJump() {
      for (const partition of expected.keys()) mayJump.add(partition)
    },
  }
}
