import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { startRegistry } from '../../packages/testbed/registry/start-registry.ts'
import { parseArguments, printHelp } from '../build/arguments.js'
import { checkLastRelease } from '../upgrade/check-last-release.ts'
import { checkNodes } from './check-node.ts'
import { checkReadme } from './check-readme.ts'
import { type CheckResult, report } from './check-table.ts'
import { checkTarball, checkVersions } from './check-tarball.ts'
import { checkTypes } from './check-types.ts'

printHelp(`
npm run release:check

Packs the packages, checks them on every supported Node and TypeScript and together with the last released version on the
same queues, and follows the README with them. Prints tables. It has no options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const actionlint = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'
const folder = await mkdtemp(join(tmpdir(), 'headrace-release-'))
const registry = await startRegistry()
try {
  const tarballs = await allOf('The tarballs', async () =>
    (await Promise.all(registry.tarballs.map(checkTarball))).flat(),
  )
  const types = await allOf('TypeScript', () => checkTypes(registry, join(folder, 'types')))
  const nodes = await allOf('Node', () => checkNodes(registry, join(folder, 'nodes')))
  const readme = await allOf('The README', () => checkReadme(registry, join(folder, 'readme')))
  const upgrades = await allOf('Upgrades', () => checkLastRelease(registry.tarballs, join(folder, 'upgrades')))
  const others = await allOf('Versions and workflows', async () => [
    await checkVersions(registry.tarballs),
    await checkWorkflows(),
  ])
  report([tarballs, types, nodes, readme, upgrades, others])
} finally {
  await registry.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** If the checks cannot run at all, that is one failure, and the tables are printed nevertheless. */
async function allOf(subject: string, check: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  console.error(`${subject} …`)
  return check().catch((error: Error) => [{ subject, check: 'start', problem: error.message }])
}

async function checkWorkflows(): Promise<CheckResult> {
  const what = { subject: 'Workflows', check: 'actionlint' }
  const go = await execa('go', ['version'], { reject: false })
  if (go.exitCode !== 0) return { ...what, skipped: 'there is no Go, which runs it' }
  const files = globSync('.github/workflows/*.yml', { cwd: root })
  const { exitCode, all } = await execa('go', ['run', actionlint, ...files], { cwd: root, reject: false, all: true })
  return { ...what, ...(exitCode !== 0 && { problem: all }) }
}
