import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pinnedNode, root } from '../build/prepare.js'

/** Returns the counts of vitest and the reasons for skipped tests. */
export async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-tests-'))
  const resultFile = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`]
  const vitest = spawn(pinnedNode, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  // The terminal sends Ctrl-C to vitest, too.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal))
  let errorOutput = ''
  vitest.stderr.on('data', (chunk) => {
    process.stderr.write(chunk)
    errorOutput += chunk
  })
  const status = await new Promise((resolve) => vitest.on('close', resolve))
  const results = readResults(resultFile)
  rmSync(folder, { recursive: true })
  return {
    passed: results.numPassedTests,
    // vitest counts neither a file that failed to load nor a setup that failed.
    failed: Math.max(results.numFailedTests, status === 0 ? 0 : 1),
    skipped: results.numPendingTests + results.numTodoTests,
    failures: failedTests(results),
    notes: results.testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ meta }) => meta?.note ?? []),
    ),
    skipReasons: [...new Set([...setupSkips(errorOutput), ...groupSkips(results)])],
    succeeded: status === 0,
  }
}

/** Prints the notes of tests, failures, reasons for skipped tests and the counts. Returns the exit code. */
export function printSummary(tests, { failedChecks = [] } = {}) {
  for (const name of failedChecks) console.log(`Check failed: ${name}.`)
  for (const note of tests.notes) console.log(note)
  for (const failure of tests.failures) console.log(`Test failed: ${failure}`)
  for (const reason of tests.skipReasons) console.log(reason)
  const incomplete = process.env.CI && tests.skipReasons.length > 0
  if (incomplete) console.log('With CI set, all tests must run.')
  console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
  return tests.succeeded && failedChecks.length === 0 && !incomplete ? 0 : 1
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}

/** Each failed test with its file, and each file that failed to load with the reason. */
function failedTests({ testResults }) {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(root, name)
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      return failed.length > 0
        ? failed.map(({ fullName }) => `${file}: ${fullName}`)
        : [`${file}: ${message.split('\n', 1)[0]}`]
    })
}

/** The lines that a setup prints about something it could not start. */
function setupSkips(errorOutput) {
  return errorOutput.match(/^[A-Z]\w* tests skipped: .+$/gm) ?? []
}

/** The title of a group of tests that cannot run ends with `, skipped: REASON`. */
function groupSkips({ testResults }) {
  const titles = testResults.flatMap(({ assertionResults }) => assertionResults.flatMap((test) => test.ancestorTitles))
  return titles.filter((title) => title.includes(', skipped: ')).map((title) => `Not tested: ${title}.`)
}
