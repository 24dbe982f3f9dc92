// `npm test`: installs and builds what is missing, checks the code and runs every test. Arguments are vitest's.
// Runs on Node 20 and up.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinnedNode, prepare, root } from './prepare.js'

prepare()
const checks = [
  { name: 'lint', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
  { name: 'structure', args: ['--conditions=@headrace/source', 'scripts/check-structure.ts'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit'] },
]
const failedChecks = checks.filter(
  ({ args }) => spawnSync(pinnedNode, args, { cwd: root, stdio: 'inherit' }).status !== 0,
)
const tests = await runTests(process.argv.slice(2))

for (const { name } of failedChecks) console.log(`Check failed: ${name}.`)
for (const reason of tests.skipReasons) console.log(reason)
const missing = process.env.CI && tests.skipReasons.length > 0
if (missing) console.log('With CI set, all tests must run.')
console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
process.exitCode = tests.succeeded && failedChecks.length === 0 && !missing ? 0 : 1

/**
 * What is missing on a machine is told by whoever looks for it, as a line `… tests skipped: …` on standard error.
 */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-tests-'))
  const resultFile = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`]
  const vitest = spawn(pinnedNode, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  // Ctrl-C reaches vitest without help.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal))
  let errorOutput = ''
  vitest.stderr.on('data', (chunk) => {
    process.stderr.write(chunk)
    errorOutput += chunk
  })
  const status = await new Promise((resolve) => vitest.on('close', resolve))
  const counts = readCounts(resultFile)
  rmSync(folder, { recursive: true })
  const skipReasons = new Set(errorOutput.match(/^.+ tests skipped: .+$/gm))
  // A file that could not be loaded, or a setup that failed, is in no count.
  return {
    ...counts,
    failed: Math.max(counts.failed, status === 0 ? 0 : 1),
    skipReasons: [...skipReasons],
    succeeded: status === 0,
  }
}

function readCounts(resultFile) {
  try {
    const results = JSON.parse(readFileSync(resultFile, 'utf8'))
    return {
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      skipped: results.numPendingTests + results.numTodoTests,
    }
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}
