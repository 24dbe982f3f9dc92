import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import type { PackedRegistry } from '../../packages/testbed/registry/start-registry.ts'
import { typeLine, typeToEnd, type UserCommand, userEnvironment } from '../../packages/testbed/registry/user-command.ts'
import { type CheckResult, makeChecks } from './check-table.ts'

/** The oldest supported Node, the one that the repository pins, and the newest. */
const versions = ['22.22', '24.21', 'latest']

/** With each Node, installs the packages, makes a project and publishes a few records. */
export async function checkNodes(registry: PackedRegistry, folder: string): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const version of versions) results.push(...(await checkNode(version, registry, join(folder, version))))
  return results
}

async function checkNode(wanted: string, registry: PackedRegistry, folder: string): Promise<CheckResult[]> {
  let node: string
  try {
    node = await installNode(wanted, registry, join(folder, 'node'))
  } catch (error) {
    return [{ subject: `Node ${wanted}`, check: 'install', problem: (error as Error).message }]
  }
  const env = userEnvironment(registry, node)
  const subject = `Node ${(await execa(node, ['--version'])).stdout.slice(1)}`
  return makeChecks(subject, stepsIn(join(folder, 'user'), env))
}

/** The steps of a user, in order. */
function stepsIn(folder: string, env: Record<string, string>): Record<string, () => Promise<string | undefined>> {
  const type = (line: string) => typeToEnd(line, folder, env)
  return {
    async install() {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
      await type('npm install --loglevel=error create-connector @headrace/cli @headrace/sdk')
      return undefined
    },
    async version() {
      const { stdout } = await type('npx connector --version')
      return /^\d+\.\d+\.\d+\n$/.test(stdout()) ? undefined : `"connector --version" printed: ${stdout()}`
    },
    async scaffold() {
      await type('npx create-connector demo --template blank --no-install --yes && npx connector codegen demo')
      return undefined
    },
    async records() {
      const run = typeLine('npx connector run demo', folder, env)
      try {
        const topic = await publishedTopic(type, run)
        await run.interrupt()
        const { stdout } = await type(`npx connector read ${topic} --limit 3 --json`)
        const values = stdout()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).value)
        return values.every(Boolean) ? undefined : `"connector read" printed: ${stdout()}`
      } finally {
        run.kill()
      }
    },
  }
}

/** Waits for a topic with a record and returns its name. */
async function publishedTopic(type: (line: string) => Promise<UserCommand>, run: UserCommand): Promise<string> {
  let code: number | null | undefined
  void run.ended.then((found) => {
    code = found
  })
  for (let tries = 0; tries < 60 && !code; tries++) {
    await pause(1000)
    const listed = await type('npx connector topics list --json').catch(() => undefined)
    for (const line of listed?.stdout().trim().split('\n').filter(Boolean) ?? []) {
      const { topic } = JSON.parse(line) as { topic: string }
      const { stdout } = await type(`npx connector read ${topic} --limit 1 --json`)
      if (stdout() !== '') return topic
    }
  }
  throw new Error(`"connector run" published no record. It printed:\n${run.output()}`)
}

async function installNode(version: string, registry: PackedRegistry, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  // Node's preinstall script downloads the program.
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }))
  const env = userEnvironment(registry)
  await execa('npm', ['install', `node@${version}`, '--loglevel=error'], { cwd: folder, env, extendEnv: false })
  return join(folder, 'node_modules/node/bin/node')
}
