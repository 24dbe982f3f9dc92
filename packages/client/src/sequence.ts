import type { DataRecord } from './batch.ts'
import { RecordsMissingError } from './errors.ts'

/** Watches the seqs of the records of one topic. */
export interface Sequence {
  /**
   * Whether a record is the next one of its partition, or one that came before. An error: others should have come before
   * it; taking goes on after it.
   */
  take(record: DataRecord<unknown>): 'next' | 'repeated' | RecordsMissingError
  /** Records were removed: in each partition, the next one that has not come before may have any seq. */
  allowJump(): void
}

export interface SequenceOptions {
  readonly order: 'asc' | 'desc'
  /** `canonical`: what was taken back is left out, so a hole is no loss. */
  readonly view: 'canonical' | 'log'
}

/** The first record of a partition may have any seq: that it is the right one, the service has checked. */
export function createSequence({ order, view }: SequenceOptions): Sequence {
  const step = order === 'asc' ? 1 : -1
  const expected = new Map<number, number>()
  const mayJump = new Set<number>()
  return {
    take({ topic, partition, seq: text }) {
      // Foreign records have no number.
      if (text === null) return 'next'
      const seq = Number(text)
      const awaited = expected.get(partition) ?? seq
      const ahead = (seq - awaited) * step
      if (ahead < 0) return 'repeated'
      expected.set(partition, seq + step)
      const jumps = mayJump.delete(partition)
      if (ahead === 0 || view === 'canonical' || jumps) return 'next'
      return new RecordsMissingError({ topic, partition }, { expected: awaited, found: seq })
    },
    allowJump() {
      for (const partition of expected.keys()) mayJump.add(partition)
    },
  }
}
