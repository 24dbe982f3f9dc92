import type { Bench } from './bench.ts'
import type { BenchResult } from './run-bench.ts'

/** The line above those of the benches. */
export const tableHead: string = line(['bench', 'peer', 'ours', 'peer’s', 'ratio', 'target', ''])

/** One line for each peer, and one for what is measured against a limit or against nobody. */
export function formatResult({ bench, medians, ratios }: BenchResult): string {
  const measured = medians.get('ours')!
  const ours = `${format(measured)} ${bench.unit}`
  const lines = [...ratios].map(([peer, ratio]) =>
    line([bench.name, peer, ours, format(medians.get(peer)!), ratio.toFixed(2), ...verdict(bench, ratio, peer)]),
  )
  if (bench.limit !== undefined || lines.length === 0)
    lines.push(line([bench.name, '', ours, '', '', ...verdict(bench, measured)]))
  return lines.join('\n')
}

/** What is wanted, and whether it is missed. */
function verdict({ better, targets, limit }: Bench, value: number, peer?: string): [string, string] {
  const target = peer === undefined ? limit : targets[peer]
  if (target === undefined) return ['', '']
  const met = better === 'higher' ? value >= target : value <= target
  return [`${better === 'higher' ? '≥' : '≤'} ${target}`, met ? '' : 'missed']
}

function line(cells: readonly string[]): string {
  const widths = [48, 20, 22, 10, 8, 8, 6]
  return cells.map((cell, index) => (index < 2 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join(' ')
}

function format(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} k`
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}
