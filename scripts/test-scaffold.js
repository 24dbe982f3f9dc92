// `npm run test:scaffold [-- files]`: makes a project from every template, and one with each package manager, as a user
// does, from packed packages, and follows what is printed until a gateway serves records. Arguments are vitest's.
// Runs on Node 20 and up.
import { prepare } from './prepare.js'
import { closingLine, runTests } from './run-tests.js'

prepare()
// One at a time: the commands that are printed take the gateway's usual port.
process.exitCode = closingLine(
  await runTests(['--project', 'scaffold', '--no-file-parallelism', ...process.argv.slice(2)]),
)
