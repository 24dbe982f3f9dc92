/** Seqs that are dead, held as intervals: those that a reorganisation takes back lie side by side. */
export interface SeqIntervals {
  add(seq: number): void
  has(seq: number): boolean
}

export function createSeqIntervals(): SeqIntervals {
  const intervals: { first: number; last: number }[] = []
  return {
    add(seq) {
      const newest = intervals.at(-1)
      if (newest && seq === newest.last + 1) newest.last = seq
      else if (newest && seq === newest.first - 1) newest.first = seq
      else intervals.push({ first: seq, last: seq })
    },
    has: (seq) => intervals.some(({ first, last }) => first <= seq && seq <= last),
  }
}
