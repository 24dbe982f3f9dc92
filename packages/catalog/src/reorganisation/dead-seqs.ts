/** An interval of seqs, both ends included. */
export interface SeqInterval {
  readonly first: number
  readonly last: number
}

/** The seqs of one partition that have been taken back, and since when. */
export interface DeadSeqs {
  /** Takes an interval in. In any order, and again. */
  add(interval: SeqInterval): void
  /**
   * The widest interval around a seq that was dead at a head; `undefined` where the seq stood.
   *
   * @param asOf - The seq that comes next at that head: an interval counts whose last revert lies before it. `null`: all.
   */
  around(seq: number, asOf: number | null): SeqInterval | undefined
}

/** An interval with those that had been dead before it became so. Of one list none touch and all are in order. */
interface Node extends SeqInterval {
  readonly within: Node[]
}

export function createDeadSeqs(): DeadSeqs {
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

/** A reorganisation takes back whole what one before it has replaced, so intervals nest. Whatever overlaps is joined. */
function insert(nodes: Node[], { first, last }: SeqInterval): void {
  const from = indexOf(nodes, first)
  let to = from
  while (to < nodes.length && nodes[to]!.first <= last) to++
  const met = nodes.slice(from, to)
  const [oldest] = met
  if (oldest && oldest.first <= first && last <= oldest.last) {
    if (oldest.first < first || last < oldest.last) insert(oldest.within, { first, last })
    return
  }
  const joined = { first: Math.min(first, oldest?.first ?? first), last: Math.max(last, met.at(-1)?.last ?? last) }
  nodes.splice(from, met.length, { ...joined, within: met })
}

function containing(nodes: readonly Node[], seq: number): Node | undefined {
  const node = nodes[indexOf(nodes, seq)]
  return node && node.first <= seq ? node : undefined
}

/** Index of the first node that does not end before a seq, by bisection. */
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
