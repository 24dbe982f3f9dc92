// `npm test`: installs and builds what is missing, checks the code and runs every test,
// three of the templates among them. Arguments are vitest's.
// Runs on Node 20 and up.
import { spawnSync } from 'node:child_process'
import { newSeed } from './new-seed.js'
import { pinnedNode, prepare, root } from './prepare.js'
import { closingLine, runTests } from './run-tests.js'

const checks = [
  { name: 'lint', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
  { name: 'structure', args: ['--conditions=@headrace/source', 'scripts/check-structure.ts'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit'] },
]

prepare()
const failedChecks = checks
  .filter(({ args }) => spawnSync(pinnedNode, args, { cwd: root, stdio: 'inherit' }).status !== 0)
  .map(({ name }) => name)
process.env.HEADRACE_FAULT_SEED ||= `${newSeed()}`
const projects = ['unit', 'integration', 'scaffold'].flatMap((name) => ['--project', name])
// The others take as long again: `npm run test:scaffold` has them.
const others = '**/scaffold/{further-templates,first-connector,from-clone,package-managers}.test.ts'
const tests = await runTests([...projects, '--exclude', others, ...process.argv.slice(2)])
process.exitCode = closingLine(tests, { failedChecks })
