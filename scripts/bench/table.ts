import type { Bench } from './bench.ts'
import type { BenchResult } from './run-bench.ts'

/** The line above those of the benches. */
export const tableHead: string = line(['bench', 'peer', 'ours', 'peer’s', 'ratio (all rounds)', 'target', ''])

/** A line for each peer, and one for a bench with a limit or without peers. */
export function formatResult({ bench, ours, peers }: BenchResult): string {
  const lines = peers.map(({ peer, ours, theirs, ratio, range }) => {
    const ratios = `${ratio.toFixed(2)} (${range.map((end) => end.toFixed(2)).join('–')})`
    return line([bench.name, peer, withUnit(ours, bench), format(theirs), ratios, ...verdict(bench, ratio, peer)])
  })
  if (bench.limit !== undefined || lines.length === 0)
    lines.push(line([bench.name, '', withUnit(ours, bench), '', '', ...verdict(bench, ours)]))
  return lines.join('\n')
}

/** The target, and whether it is missed. */
function verdict({ better, targets, limit }: Bench, value: number, peer?: string): [string, string] {
  const target = peer === undefined ? limit : targets[peer]
  if (target === undefined) return ['', '']
  const met = better === 'higher' ? value >= target : value <= target
  return [`${better === 'higher' ? '≥' : '≤'} ${target}`, met ? '' : 'missed']
}

function line(cells: readonly string[]): string {
  const widths = [56, 20, 22, 10, 19, 8, 6]
  return cells.map((cell, index) => (index < 2 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join(' ')
}

function withUnit(value: number, { unit }: Bench): string {
  return `${format(value)} ${unit}`
}

function format(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} k`
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}
