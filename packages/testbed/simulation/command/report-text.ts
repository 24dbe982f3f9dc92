import type { Outcome } from '../scenario.ts'
import { cutTrace } from '../shrinking/cut-trace.ts'
import { nameOf } from '../world/swarm.ts'
import type { Tally } from './tally.ts'

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** A duration such as `3.1 hours`. */
export function formatDuration(ms: number): string {
  const [unit, length] = units.find(([, length]) => ms >= 2 * length) ?? units.at(-1)!
  return `${(ms / length).toFixed(1)} ${unit}`
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
] as const

/** A failure in one line. */
export function describeFailure({ scenario, seed, failure }: Outcome): string {
  return `${scenario}, seed ${seed}: ${failure}`
}

export function replayCommand({ scenario, seed }: Outcome): string {
  return `npm run simulate -- --scenario ${scenario} --seed ${seed}`
}

/** A failure with its faults, its trace, and the command that repeats it. */
export function describeShrunk(outcome: Outcome): string {
  const { faults, failure, steps, virtualMs, trace } = outcome
  const names = faults.map(nameOf)
  const head =
    names.length === 0
      ? 'It fails without a fault'
      : `It needs ${names.length === 1 ? 'this fault' : `these ${names.length} faults`}: ${names.join(', ')}`
  const only = ` --only '${names.join(', ')}'`
  return [
    `${describeFailure(outcome)}`,
    failure === undefined
      ? 'It does not fail a second time in a process of its own: the seed does not decide all that happens.'
      : `${head}. It fails after ${formatDuration(virtualMs)} of virtual time and ${formatCount(steps)} steps:`,
    '',
    ...cutTrace(trace),
    '',
    `Again, with all its faults:       ${replayCommand(outcome)}`,
    `All of this trace:                ${replayCommand(outcome)}${only} --trace`,
  ].join('\n')
}

/** The results: a row for each scenario and for each kind of fault. */
export function describeTallies(tallies: ReadonlyMap<string, Tally>): string {
  const names = [...tallies.keys()]
  const all = [...tallies.values()]
  const kinds = [...new Set(all.flatMap(({ struck }) => Object.keys(struck)))].sort()
  return [
    formatTable([
      ['scenario', 'seeds', 'failed', 'seeds/CPU s', 'steps/seed', 'virtual s/seed', 'faults/seed'],
      ...names.map((name) => {
        const { seeds, failed, steps, virtualMs, cpuMs, struck } = tallies.get(name)!
        const faults = Object.values(struck).reduce((sum, times) => sum + times, 0)
        const rate = cpuMs > 0 ? ((seeds * 1000) / cpuMs).toFixed(1) : '–'
        return [
          name,
          formatCount(seeds),
          formatCount(failed),
          rate,
          formatCount(steps / seeds),
          formatCount(virtualMs / seeds / 1000),
          (faults / seeds).toFixed(1),
        ]
      }),
    ]),
    '',
    formatTable([
      ['faults that struck', ...names],
      ...kinds.map((kind) => [kind, ...all.map(({ struck }) => (struck[kind] ? formatCount(struck[kind]) : '–'))]),
    ]),
  ].join('\n')
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
