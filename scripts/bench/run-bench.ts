import type { Bench, BenchContext } from './bench.ts'

export interface BenchResult {
  readonly bench: Bench
  /** Median of each contestant's rounds. */
  readonly medians: ReadonlyMap<string, number>
  /** Median of ours ÷ peer in the same round, by peer. */
  readonly ratios: ReadonlyMap<string, number>
}

/**
 * Measures in rounds, in each of which every contestant has its turn, so that what else happens on the machine meets
 * all of them. A first round, in which everything gets warm, does not count.
 */
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
  const names = Object.keys(bench.contestants)
  const peers = names.filter((name) => name !== 'ours')
  const ratio = (round: Map<string, number>, peer: string): number => round.get('ours')! / round.get(peer)!
  return {
    bench,
    medians: new Map(names.map((name) => [name, median(rounds.map((round) => round.get(name)!))])),
    ratios: new Map(peers.map((peer) => [peer, median(rounds.map((round) => ratio(round, peer)))])),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
