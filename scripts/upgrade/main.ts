import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from '../../packages/testbed/registry/tarballs.ts'
import { parseArguments, printHelp, refuseArgument } from '../build/arguments.js'
import { report } from '../release/check-table.ts'
import { checkUpgrade } from './check-upgrade.ts'
import { installReleased, installRevision, installVersion } from './version.ts'

printHelp(`
npm run release:upgrade -- --from <version | revision>

Runs an earlier version and the packages as they were last built against the same queues, and prints a table.

  --from <version>   a released version, e.g. 0.1.0, or a revision of this repository, e.g. main~20
  --to <revision>    another revision instead of the packages as they were last built
`)
const { values } = parseArguments({ options: { from: { type: 'string' }, to: { type: 'string' } } })
const { from } = values
if (from === undefined) refuseArgument('--from is missing')

const folder = await mkdtemp(join(tmpdir(), 'headrace-upgrade-'))
try {
  console.error(`Installing ${from} and the present packages …`)
  const older = await (/^\d+\.\d+\.\d+/.test(from) ? installReleased : installRevision)(from, join(folder, 'from'))
  const newer = await installPresent()
  report([await checkUpgrade(older, newer, folder)])
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function installPresent() {
  if (values.to !== undefined) return installRevision(values.to, join(folder, 'to'))
  const tarballs = await packPackages(join(folder, 'tarballs'))
  return installVersion(
    'the present one',
    tarballs.map(({ file }) => file),
    join(folder, 'to'),
  )
}
