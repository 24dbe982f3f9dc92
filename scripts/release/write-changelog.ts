import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { parseArguments, printHelp } from '../build/arguments.js'
import { addRelease, type Changeset } from './changelog.ts'

printHelp(`
node scripts/release/write-changelog.ts

Adds the files of .changeset/ to CHANGELOG.md, under the version that they lead to. It has no options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const statusFile = join(root, '.changeset/status.json')
const changelogFile = join(root, 'CHANGELOG.md')

await execa('changeset', ['status', '--output', statusFile], { cwd: root, preferLocal: true })
const { changesets, releases } = JSON.parse(readFileSync(statusFile, 'utf8')) as Status
rmSync(statusFile)
const versions = new Set(releases.filter(({ type }) => type !== 'none').map(({ newVersion }) => newVersion))
const [version] = versions
if (version === undefined || versions.size !== 1)
  throw new Error(
    `The files of .changeset/ must lead to one version. They lead to: ${[...versions].join(', ') || 'none'}.`,
  )
writeFileSync(changelogFile, addRelease(readFileSync(changelogFile, 'utf8'), version, changesets))

interface Status {
  readonly changesets: readonly Changeset[]
  readonly releases: readonly { readonly type: string; readonly newVersion: string }[]
}
