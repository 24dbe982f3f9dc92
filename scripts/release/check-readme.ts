import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../../packages/testbed/kafka/free-ports.ts'
import { findPostgres, startPostgres } from '../../packages/testbed/postgres/postgres.ts'
import type { PackedRegistry } from '../../packages/testbed/registry/start-registry.ts'
import { typeLine, typeToEnd, type UserCommand, userEnvironment } from '../../packages/testbed/registry/user-command.ts'
import { type CheckResult, makeChecks } from './check-table.ts'

/** Follows the README in an empty folder, as a user of the published packages does. */
export async function checkReadme(registry: PackedRegistry, folder: string): Promise<CheckResult[]> {
  await using servers = new AsyncDisposableStack()
  const [port] = await freePorts(1)
  // Another program may use the default port.
  const readme = (await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')).replaceAll('8080', `${port}`)
  const env = { ...userEnvironment(registry), npm_config_yes: 'true' }
  const project = join(folder, 'demo')
  const type = async (line: string, variables = {}) =>
    (await typeToEnd(line, project, { ...env, ...variables })).stdout()
  const start = (line: string) => {
    const command = typeLine(`${line} --port ${port}`, project, env)
    servers.defer(() => command.kill())
    return command
  }

  const results = await makeChecks('README', {
    async create() {
      await mkdir(folder, { recursive: true })
      await typeToEnd(`${find(readme, 'npx create-connector demo')} --template blank --yes`, folder, env)
      return undefined
    },
    async dev() {
      const dev = start(`${find(readme, 'npm run dev')} --`)
      const answer = await type(await printed(dev, /^curl .*$/m))
      await dev.interrupt()
      return records(answer).length > 0 ? undefined : `The printed curl command printed: ${answer}`
    },
    async run() {
      for (const [file, text] of Object.entries(connectorOf(readme))) {
        await mkdir(dirname(join(project, file)), { recursive: true })
        await writeFile(join(project, file), text)
      }
      await type(find(readme, 'npx connector codegen'))
      await type(find(readme, 'npx connector run'))
      await type(find(readme, 'npx connector run'))
      const lines = (await type(find(readme, 'npx connector read'))).trim().split('\n')
      const numbers = lines.map((line) => JSON.parse(line).value.number)
      return numbers.join() === '1,2,3,4,5,6,7,8,9,10' ? undefined : `The ticks are ${numbers.join()}.`
    },
    async serve() {
      const serve = start(find(readme, 'npx connector serve'))
      const KEY = await printed(serve, /^hr_\S+$/m)
      const answer = await type(find(readme, 'curl -H'), { KEY })
      await serve.interrupt()
      return records(answer).length === 3 ? undefined : `curl printed: ${answer}`
    },
  })
  const binaries = findPostgres()
  if (!binaries) return [...results, { subject: 'README', check: 'sink', skipped: 'there is no PostgreSQL' }]
  const postgres = servers.use(await startPostgres(binaries))
  const toDatabase = (command: string) => find(readme, command).replace('postgres://localhost/app', postgres.url)
  const sink = {
    async sink() {
      await type(`${toDatabase('npx connector sink')} --once`)
      await type(toDatabase('npx connector verify --sink'))
      return undefined
    },
  }
  return [...results, ...(await makeChecks('README', sink))]
}

/** The first command in the README that begins with these words, without its comment. */
function find(readme: string, words: string): string {
  const [line] = readme.match(new RegExp(`(?<=^|\`)${words}\\b[^\`\n]*`, 'm')) ?? []
  if (line === undefined) throw new Error(`README.md has no command "${words}".`)
  return line.replace(/ +#.*/, '')
}

function connectorOf(readme: string): Record<string, string> {
  const block = (language: string) => readme.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms'))![1]!
  return {
    'clock/manifest.yaml': block('yaml'),
    'clock/clock.proto': block('proto'),
    'clock/src/connector.ts': block('ts'),
  }
}

/** Waits until a command has printed a text. */
async function printed(command: UserCommand, text: RegExp): Promise<string> {
  let ended = false
  void command.ended.then(() => {
    ended = true
  })
  for (;;) {
    const found = text.exec(command.output())
    if (found) return found[0]
    if (ended) throw new Error(`"${command.line}" has ended. It printed:\n${command.output()}`)
    await pause(200)
  }
}

const records = (answer: string) => (JSON.parse(answer) as { data: unknown[] }).data
