/** Both ends are included. */
export interface SeqInterval {
  readonly first: number
  readonly last: number
}

export interface RevertedSeqs {
  /** Adds an interval. Intervals may come in any order, and more than once. */
  add(interval: SeqInterval): void
  /**
   * The widest interval around a seq that was reverted as of a head; `undefined` if the seq was canonical there.
   *
   * @param asOf - The next seq at that head: intervals that end before it count. `null`: all intervals.
   */
  around(seq: number, asOf: number | null): SeqInterval | undefined
}

/** An interval, with the earlier ones inside it. Lists are sorted, and have no overlaps. */
interface Node extends SeqInterval {
  readonly within: Node[]
}

export function createRevertedSeqs(): RevertedSeqs {
  const outermost: Node[] = []
  return {
    add: (interval) => insert(outermost, interval),
    around(seq, asOf) {
      let found = containing(outermost, seq)
      while (found && asOf !== null && found.last >= asOf) found = containing(found.within, seq)
      return found
    },
  }
}

/** A reorganisation reverts earlier replacements entirely. Overlapping intervals are merged. */
function insert(nodes: Node[], { first, last }: SeqInterval): void {
  const from = indexOf(nodes, first)
  let to = from
  while (to < nodes.length && nodes[to]!.first <= last) to++
  const overlapping = nodes.slice(from, to)
  const [oldest] = overlapping
  if (oldest && oldest.first <= first && last <= oldest.last) {
    if (oldest.first < first || last < oldest.last) insert(oldest.within, { first, last })
    return
  }
  const joined = {
    first: Math.min(first, oldest?.first ?? first),
    last: Math.max(last, overlapping.at(-1)?.last ?? last),
  }
  nodes.splice(from, overlapping.length, { ...joined, within: overlapping })
}

function containing(nodes: readonly Node[], seq: number): Node | undefined {
  const node = nodes[indexOf(nodes, seq)]
  return node && node.first <= seq ? node : undefined
}

/** The first node that does not end before a seq. */
function indexOf(nodes: readonly Node[], seq: number): number {
  let low = 0
  let high = nodes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (nodes[middle]!.last < seq) low = middle + 1
    else high = middle
  }
  return low
}
