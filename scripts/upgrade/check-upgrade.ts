import { globSync } from 'node:fs'
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
  for (const [engine, open] of Object.entries(queues)) {
    const name = `${from.name} to ${to.name}, ${engine}`
    await using opened = new AsyncDisposableStack()
    const place = join(folder, engine)
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
    const saved = await saveProject(to)
    opened.defer(saved.restore)
    const changeSchema = () => addMessage(to)
    const served = { queue: queue.url, topicPrefix, chainName: 'local', chain, node }
    const matrix = createMatrix({ from, to, ...served, changeSchema, sinkFolder: join(place, 'sink') })
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
  if (hasSameMinor(from, to)) await cp(folderOf(from), folderOf(to), { recursive: true })
  else {
    const own = await createProject(to)
    const lines = ['owner', 'package', 'topicVersion', 'id'].reduce(
      (text, name) => text.replace(lineOf(name), made.match(lineOf(name))?.[0] ?? ''),
      own,
    )
    await writeFile(join(folderOf(to), 'manifest.yaml'), lines)
    await runCommand(to, 'codegen', projectFolder)
  }
  const memberOf = (name: string) => made.match(lineOf(name))?.[1]
  const version = memberOf('topicVersion') ?? memberOf('version')!
  return `${memberOf('owner')}.${memberOf('package')}.${version.replaceAll('.', '_')}.`
}

function lineOf(name: string): RegExp {
  return new RegExp(`^${name}: (\\S+).*$`, 'm')
}

/** Returns its manifest. */
async function createProject(version: Version): Promise<string> {
  const flags = ['--template', 'evm-blocks', '--no-install', '--yes']
  const create = join(version.folder, 'node_modules/.bin/create-connector')
  await execa(create, [projectFolder, ...flags], { cwd: version.folder, env: shellVariables, extendEnv: false })
  await runCommand(version, 'codegen', projectFolder)
  return readFile(join(folderOf(version), 'manifest.yaml'), 'utf8')
}

/** For the next queue. */
async function saveProject(version: Version): Promise<{ restore(): Promise<void> }> {
  const saved = `${folderOf(version)}-before`
  await cp(folderOf(version), saved, { recursive: true })
  return { restore: () => cp(saved, folderOf(version), { recursive: true, force: true }) }
}

/** Within the message of a topic, whose schema it changes. An EVM source accepts no other fields. */
async function addMessage(version: Version): Promise<void> {
  const project = folderOf(version)
  const [proto] = globSync('proto/*.proto', { cwd: project })
  await replaceIn(join(project, proto!), /^message Block \{$/m, 'message Block {\n  message AddedLater {}')
  await replaceIn(join(project, 'manifest.yaml'), /^version: .*$/m, 'version: 99.0.0')
  await runCommand(version, 'codegen', projectFolder)
}

async function replaceIn(file: string, pattern: RegExp, text: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  if (!pattern.test(before)) throw new Error(`${file} has nothing that matches ${pattern}.`)
  await writeFile(file, before.replace(pattern, text))
}

function folderOf({ folder }: Version): string {
  return join(folder, projectFolder)
}

function hasSameMinor(one: Version, other: Version): boolean {
  const minor = /^\d+\.\d+\./.exec(one.name)
  return minor !== null && other.name.startsWith(minor[0])
}

/** After a refusal the last writer must be able to continue; the steps after it cannot be made. */
async function runSteps(subject: string, matrix: Matrix): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const [check, run] of Object.entries(matrix.steps)) {
    console.error(`${subject}: ${check} …`)
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
