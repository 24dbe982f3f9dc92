import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { startChain } from '../../packages/testbed/chain/chain.ts'
import { startFakeNode } from '../../packages/testbed/chain/fake-node.ts'
import type { CheckResult } from '../release/check-table.ts'
import { RefusalError, runCommand } from './command.ts'
import { createMatrix, type Matrix, projectFolder } from './matrix.ts'
import { queues } from './queues.ts'
import { shellVariables, type Version } from './version.ts'

/** Runs two versions against the same queue, on each engine: connectors, gateways, clients, keys and sinks of both. */
export async function checkUpgrade(from: Version, to: Version, folder: string): Promise<CheckResult[]> {
  const topicPrefix = await createProjects(from, to)
  const results: CheckResult[] = []
  for (const [name, open] of Object.entries(queues)) {
    await using opened = new AsyncDisposableStack()
    const place = join(folder, name)
    await mkdir(place, { recursive: true })
    const queue = await open(place)
    if ('unavailable' in queue) {
      results.push({ subject: name, check: 'all', skipped: queue.unavailable })
      continue
    }
    opened.defer(() => queue.stop())
    // Short epochs, so that a sink has final blocks; longer than a reorganisation.
    const chain = await startChain({ slotsInAnEpoch: 8 })
    opened.defer(() => chain.stop())
    await chain.mine(20, { transactions: 2 })
    const node = await startFakeNode(chain.rpc)
    opened.defer(() => node.close())
    const sinkFolder = join(place, 'sink')
    const matrix = createMatrix({
      from,
      to,
      queue: queue.url,
      topicPrefix,
      chainName: 'local',
      chain,
      node,
      sinkFolder,
    })
    opened.defer(() => matrix.stop())
    results.push(...(await runSteps(name, matrix)))
  }
  return results
}

/**
 * The same project for both, if the newer version promises to run it: the SDK may change in a minor version. Otherwise
 * each makes its own, with the names and the id of the older one.
 */
async function createProjects(from: Version, to: Version): Promise<string> {
  const made = await createProject(from)
  const [owner, name, topicVersion, id] = ['owner', 'package', 'topicVersion', 'id'].map((member) =>
    memberOf(made, member),
  )
  if (from.folder !== to.folder)
    if (hasSameMinor(from, to)) await cp(folderOf(from), folderOf(to), { recursive: true })
    else {
      let manifest = await createProject(to)
      for (const [member, value] of Object.entries({ owner, package: name, topicVersion, id }))
        manifest = manifest.replace(new RegExp(`^${member}: .*$`, 'm'), `${member}: ${value}`)
      await writeFile(join(folderOf(to), 'manifest.yaml'), manifest)
      await runCommand(to, 'codegen', projectFolder)
    }
  return `${owner}.${name}.${topicVersion!.replaceAll('.', '_')}.`
}

/** Returns its manifest. */
async function createProject(version: Version): Promise<string> {
  const flags = ['--template', 'evm-blocks', '--no-install', '--yes']
  const create = join(version.folder, 'node_modules/.bin/create-connector')
  await execa(create, [projectFolder, ...flags], { cwd: version.folder, env: shellVariables, extendEnv: false })
  await runCommand(version, 'codegen', projectFolder)
  return readFile(join(folderOf(version), 'manifest.yaml'), 'utf8')
}

function folderOf({ folder }: Version): string {
  return join(folder, projectFolder)
}

function memberOf(manifest: string, member: string): string {
  return new RegExp(`^${member}: (.*)$`, 'm').exec(manifest)![1]!
}

function hasSameMinor(one: Version, other: Version): boolean {
  const minor = /^\d+\.\d+\./.exec(one.name)
  return minor !== null && other.name.startsWith(minor[0])
}

/** After a refusal the last writer must be able to continue; the steps after it cannot be made. */
async function runSteps(subject: string, matrix: Matrix): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const [check, run] of Object.entries(matrix.steps)) {
    console.error(`${new Date().toISOString()} ${subject}: ${check} …`)
    try {
      await run()
      results.push({ subject, check })
    } catch (error) {
      if (!(error instanceof RefusalError)) return [...results, { subject, check, problem: (error as Error).message }]
      const problem = await matrix.recover().then(
        () => undefined,
        ({ message }: Error) => `${(error as Error).message}\nThe version that had written then failed: ${message}`,
      )
      return [...results, { subject, check, ...(problem ? { problem } : { refused: error.message }) }]
    }
  }
  return results
}
