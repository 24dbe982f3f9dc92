// `npm run test:faults [-- [--full] [--seed N] [files] [-- …]]`: injects faults of every kind many times, with `--full`
// as often as the guarantees are stated for. What follows a second `--` is vitest's. Runs on Node 20 and up.
import { parseArgs } from 'node:util'
import { newSeed } from './new-seed.js'
import { prepare } from './prepare.js'
import { closingLine, runTests } from './run-tests.js'

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false }, seed: { type: 'string', default: `${newSeed()}` } },
  allowPositionals: true,
})
const { full, seed } = values
if (!/^\d{1,10}$/.test(seed)) {
  console.error(`--seed is "${seed}"; it must be a whole number.`)
  process.exit(2)
}
process.env.HEADRACE_FAULTS = full ? 'full' : 'scaled'
process.env.HEADRACE_FAULT_SEED = seed

prepare()
const tests = await runTests(['--project', 'faults', ...positionals])
console.log(
  `Seed ${seed}. To make the same choices again: npm run test:faults -- ${full ? '--full ' : ''}--seed ${seed}`,
)
process.exitCode = closingLine(tests)
