import type { Bench, BenchContext } from './bench.ts'

export interface BenchResult {
  readonly bench: Bench
  readonly ours: number
  readonly peers: readonly Comparison[]
}

/** Ours against one peer, in the round with the median ratio, so that figures and ratio agree. */
export interface Comparison {
  readonly peer: string
  readonly ours: number
  readonly theirs: number
  /** `ours ÷ theirs`. */
  readonly ratio: number
  /** Smallest and largest ratio of all rounds. */
  readonly range: readonly [number, number]
}

/** Measures in rounds with all contestants in turn, so that other load affects all of them. The first is a warm-up. */
export async function runBench(bench: Bench, { quick, signal }: BenchContext): Promise<BenchResult> {
  const rounds: Map<string, number>[] = []
  const counted = bench.rounds ?? (quick ? 1 : 5)
  for (let round = bench.rounds === undefined ? 0 : 1; round <= counted; round++) {
    const measured = new Map<string, number>()
    for (const [name, measure] of Object.entries(bench.contestants)) {
      signal.throwIfAborted()
      measured.set(name, await measure())
    }
    if (round > 0) rounds.push(measured)
  }
  const peers = Object.keys(bench.contestants).filter((name) => name !== 'ours')
  return {
    bench,
    ours: median(rounds.map((round) => round.get('ours')!)),
    peers: peers.map((peer) => compare(peer, rounds)),
  }
}

function compare(peer: string, rounds: readonly ReadonlyMap<string, number>[]): Comparison {
  const compared = rounds
    .map((round) => ({ ours: round.get('ours')!, theirs: round.get(peer)! }))
    .map(({ ours, theirs }) => ({ ours, theirs, ratio: ours / theirs }))
    .sort((one, other) => one.ratio - other.ratio)
  // Of an even number of rounds the lower middle one, because a mean would not be measured figures.
  const middle = compared[(compared.length - 1) >> 1]!
  return { peer, ...middle, range: [compared[0]!.ratio, compared.at(-1)!.ratio] }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
