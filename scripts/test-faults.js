// `npm run test:faults [-- --full] [--seed N]`: injects faults of every kind many times, with `--full` as often as the
// guarantees are stated for. Other arguments are vitest's. Runs on Node 20 and up.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.js'
import { closingLine, runTests } from './run-tests.js'

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false }, seed: { type: 'string' } },
  allowPositionals: true,
})
process.env.HEADRACE_FAULTS = values.full ? 'full' : 'scaled'
process.env.HEADRACE_FAULT_SEED = values.seed ?? String(randomInt(2 ** 31))

prepare()
const tests = await runTests(['--project', 'faults', ...positionals])
console.log(
  `Seed ${process.env.HEADRACE_FAULT_SEED}. To make this run again: --seed ${process.env.HEADRACE_FAULT_SEED}`,
)
process.exitCode = closingLine(tests)
