/** Finds the first seed that detects each mutation, or those whose names contain one of the arguments. */
import { parseArgs } from 'node:util'
import { mutations } from './mutation.ts'
import { searchSeeds } from './search-seeds.ts'
import { storeSeeds } from './seed-table.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: '2' },
    store: { type: 'boolean', default: false },
  },
})
const chosen = mutations.filter(
  ({ name, scenario }) =>
    positionals.length === 0 || positionals.some((part) => name.includes(part) || part === scenario),
)
const found = new Map<string, number | undefined>()
await searchSeeds(
  chosen.map((mutation) => ({ mutation, upTo: Number(values.seeds) })),
  Number(values.jobs),
  ({ mutation: { name, scenario } }, { seed, failure, error }) => {
    found.set(name, seed)
    const what = error ?? failure?.split('\n')[0] ?? ''
    process.stdout.write(`${scenario} ${seed ?? 'not found'} | ${name}: ${what}\n`)
    if (values.store) storeSeeds(found)
  },
)
