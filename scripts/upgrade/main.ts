import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from '../../packages/testbed/registry/tarballs.ts'
import { parseArguments, printHelp, refuseArgument } from '../build/arguments.js'
import { report } from '../release/check-table.ts'
import { checkUpgrade } from './check-upgrade.ts'
import { recordFixture } from './record-fixture.ts'
import { installReleased, installRevision, installVersion, type Version } from './version.ts'

printHelp(`
npm run release:upgrade -- --from <version | revision> [--record]

Runs an earlier version and the packages of this clone against the same queues, and prints a table.

  --from <version>   a released version, e.g. 0.1.0, or a revision of this repository, e.g. main~20 or a tag
  --record           instead, replace the fixture of the tests by what this revision writes
`)
const options = { from: { type: 'string' }, record: { type: 'boolean', default: false } } as const
const { values } = parseArguments({ options })
const { from } = values
if (from === undefined) refuseArgument('--from is missing')
const isReleased = /^\d+\.\d+\.\d+/.test(from)
if (values.record && isReleased)
  refuseArgument('--record needs a revision of this repository, such as the tag of a version')

const folder = await mkdtemp(join(tmpdir(), 'headrace-upgrade-'))
try {
  console.error(`Installing ${from} …`)
  const older = await (isReleased ? installReleased : installRevision)(from, join(folder, 'from'))
  if (values.record) await recordFixture(older, folder)
  else report([await checkUpgrade(older, await installPresent(), folder)])
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function installPresent(): Promise<Version> {
  const tarballs = await packPackages(join(folder, 'tarballs'))
  const files = tarballs.map(({ file }) => file)
  return installVersion(tarballs[0]!.version, files, join(folder, 'to'))
}
