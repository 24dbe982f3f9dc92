import { cp, mkdir, readFile } from 'node:fs/promises'
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
  const topicPrefix = await createProject(from, to)
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

/** Made with the older version, whose users have it; a newer one runs it without a change. */
async function createProject(from: Version, to: Version): Promise<string> {
  const flags = ['--template', 'evm-blocks', '--no-install', '--yes']
  const create = join(from.folder, 'node_modules/.bin/create-connector')
  await execa(create, [projectFolder, ...flags], { cwd: from.folder, env: shellVariables, extendEnv: false })
  await runCommand(from, 'codegen', projectFolder)
  if (to.folder !== from.folder)
    await cp(join(from.folder, projectFolder), join(to.folder, projectFolder), { recursive: true })
  const manifest = await readFile(join(from.folder, projectFolder, 'manifest.yaml'), 'utf8')
  const manifestValue = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(manifest)![1]!
  return `${manifestValue('owner')}.${manifestValue('package')}.${manifestValue('topicVersion').replaceAll('.', '_')}.`
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
