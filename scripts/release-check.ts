// `npm run release:check`: packs the packages and checks what users would get of them, on every Node and TypeScript that
// they are made for. Prints a table of it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment } from './registry/environment.ts'
import { startRegistry } from './registry/start-registry.ts'
import { checkNodes } from './release/check-node.ts'
import { type CheckResult, formatTable } from './release/check-table.ts'
import { checkTarball } from './release/check-tarball.ts'
import { checkTypes } from './release/check-types.ts'
import { checkWorkflows } from './release/check-workflows.ts'

const folder = await mkdtemp(join(tmpdir(), 'headrace-release-'))
const registry = await startRegistry()
try {
  const tables: CheckResult[][] = [[], [], [], []]
  for (const tarball of registry.tarballs) tables[0]!.push(...(await checkTarball(tarball)))
  tables[1] = await checkTypes(registry, join(folder, 'types'))
  tables[2] = await checkNodes(registry, join(folder, 'nodes'))
  tables[3] = [await checkWorkflows()]
  report(tables)
} finally {
  await registry.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function report(tables: readonly CheckResult[][]): void {
  const results = tables.flat()
  for (const { subject, check, problem } of results) if (problem) console.log(`${subject}, ${check}:\n${problem}\n`)
  for (const table of tables) console.log(`${formatTable(table)}\n`)
  const failed = results.filter(({ problem }) => problem)
  const skipped = results.filter((result) => result.skipped)
  for (const { subject, check, skipped: reason } of skipped)
    console.log(`Not checked: ${subject}, ${check}: ${reason}.`)
  console.log(
    `${results.length - failed.length - skipped.length} ok, ${failed.length} failed, ${skipped.length} skipped`,
  )
  process.exitCode = failed.length > 0 || (environment.ci && skipped.length > 0) ? 1 : 0
}
