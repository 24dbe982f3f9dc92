/** Searches seeds that detect the mutations which the parent process sends. */
import { loadMutated, type RunSeed } from './load-mutated.ts'
import type { Found, Search } from './search-seeds.ts'

const unchanged = new Map<string, RunSeed>()
/** Seeds that fail without any mutation. */
const failing = new Set<string>()

process.on('message', async (search: Search) => process.send!(await find(search)))
process.on('disconnect', () => process.exit())
// Errors that a failed seed leaves behind.
for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, () => {})

async function find({ mutation, first, upTo }: Search): Promise<Found> {
  try {
    const { scenario } = mutation
    const run = await loadMutated(scenario, mutation)
    for (const seed of seedsOf(first, upTo)) {
      if (failing.has(`${scenario} ${seed}`)) continue
      const { failure } = await run(seed)
      if (failure !== undefined && !(await failsUnchanged(scenario, seed))) return { seed, failure }
    }
    return {}
  } catch (error) {
    return { error: `${error instanceof Error ? error.stack : error}` }
  }
}

async function failsUnchanged(scenario: string, seed: number): Promise<boolean> {
  const run = unchanged.get(scenario) ?? (await loadMutated(scenario))
  unchanged.set(scenario, run)
  const { failure } = await run(seed)
  if (failure !== undefined) failing.add(`${scenario} ${seed}`)
  return failure !== undefined
}

function* seedsOf(first: number | undefined, upTo: number): Generator<number> {
  if (first !== undefined) yield first
  for (let seed = 1; seed <= upTo; seed++) yield seed
}
