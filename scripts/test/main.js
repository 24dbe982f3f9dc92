// Runs on Node 20.11 and newer.
import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { parseArguments, printHelp, refuseArgument } from '../build/arguments.js'
import { pinnedNode, prepare, root } from '../build/prepare.js'
import { printSummary, runTests } from './run-tests.js'

printHelp(`
npm test -- [options of vitest]
npm run test:scaffold -- [options of vitest]
npm run test:faults -- [--full] [--seed N] [files] [-- options of vitest]

test           lint, types, and all tests, with one template and one fault of each kind
test:scaffold  a project from every template and with every package manager
test:faults    tests with injected faults
  --full       as many faults as the guarantees name
  --seed N     the random choices of an earlier run
`)

const suites = { all, scaffold, faults }
const [suite, ...args] = process.argv.slice(2)
process.exitCode = await suites[suite](args)

/** The checks of the code and the tests that need no more than minutes. */
async function all(args) {
  const checks = [
    { name: 'lint', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
    { name: 'unused code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
    { name: 'structure', args: ['--conditions=@headrace/source', 'scripts/lint/check-structure.ts'] },
    { name: 'links', args: ['scripts/lint/check-links.ts'] },
    { name: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit'] },
    {
      name: 'types of the explorer',
      args: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/explorer/src/page'],
    },
  ]
  prepare()
  const passed = await Promise.all(checks.map(({ args }) => run(args)))
  const failedChecks = checks.filter((_, index) => !passed[index]).map(({ name }) => name)
  process.env.HEADRACE_FAULT_SEED ||= `${newSeed()}`
  const projects = ['unit', 'integration', 'isolated', 'scaffold'].flatMap((name) => ['--project', name])
  const excluded = '**/scaffold/!(templates).test.ts'
  return printSummary(await runTests([...projects, '--exclude', excluded, ...args]), { failedChecks })
}

/** Runs a program of Node. Resolves to whether it has succeeded. */
async function run(args) {
  const [code] = await once(spawn(pinnedNode, args, { cwd: root, stdio: 'inherit' }), 'exit')
  return code === 0
}

/** Makes a project from every template and with every package manager, and follows the instructions that it prints. */
async function scaffold(args) {
  prepare()
  // One file at a time: the printed commands use the gateway's default port.
  return printSummary(await runTests(['--project', 'scaffold', '--no-file-parallelism', ...args]))
}

async function faults(args) {
  const { values, positionals } = parseArguments({
    args,
    options: { full: { type: 'boolean', default: false }, seed: { type: 'string', default: `${newSeed()}` } },
    allowPositionals: true,
  })
  const { full, seed } = values
  if (!/^\d{1,10}$/.test(seed)) refuseArgument(`--seed is "${seed}". It must be a whole number of at most 10 digits`)
  process.env.HEADRACE_FAULTS = full ? 'full' : 'scaled'
  process.env.HEADRACE_FAULT_SEED = seed

  prepare()
  const tests = await runTests(['--project', 'faults', ...positionals])
  console.log(
    `Seed ${seed}. To make the same choices again: npm run test:faults -- ${full ? '--full ' : ''}--seed ${seed}`,
  )
  return printSummary(tests)
}

/**
 * A seed of up to 31 bits for the random choices of the tests. On CI it is derived from the commit, so that each commit
 * tries another seed and a result of CI can be reproduced.
 */
function newSeed() {
  if (!process.env.CI) return randomInt(2 ** 31)
  const commit = execFileSync('git', ['-c', `safe.directory=${root}`, 'rev-parse', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  return Number.parseInt(commit.slice(0, 7), 16)
}
