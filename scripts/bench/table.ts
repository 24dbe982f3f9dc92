import type { BenchResult } from './run-bench.ts'

/** The line above those of the benches. */
export const tableHead: string = line(['bench', 'peer', 'ours', 'peer’s', 'ratio', 'target', ''])

/** One line for each peer. */
export function formatResult({ bench, medians, ratios }: BenchResult): string {
  const ours = `${format(medians.get('ours')!)} ${bench.unit}`
  return [...ratios]
    .map(([peer, ratio]) => {
      const target = bench.targets[peer]
      const met = target === undefined || (bench.better === 'higher' ? ratio >= target : ratio <= target)
      const sign = bench.better === 'higher' ? '≥' : '≤'
      const wanted = target === undefined ? '' : `${sign} ${target}`
      return line([bench.name, peer, ours, format(medians.get(peer)!), ratio.toFixed(2), wanted, met ? '' : 'missed'])
    })
    .join('\n')
}

function line(cells: readonly string[]): string {
  const widths = [44, 16, 16, 10, 8, 8, 6]
  return cells.map((cell, index) => (index < 2 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join(' ')
}

function format(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} k`
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}
