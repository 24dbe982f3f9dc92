import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../../packages/testbed/environment.ts'
import { type PackedRegistry, startRegistry } from '../../packages/testbed/registry/start-registry.ts'
import { typeToEnd, userEnvironment } from '../../packages/testbed/registry/user-command.ts'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
npm run release:dry

Takes the newest commit through the steps of the release workflow, in a copy of the repository: raises the version,
builds, packs, publishes to a local registry, and makes a project with what was published. It has no options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'headrace-dry-run-'))
const clone = join(folder, 'clone')
const npmrc = join(folder, 'npmrc')
// It has the version before.
const registry = await startRegistry()
try {
  const before = registry.tarballs[0]!.version
  await copyRepository()
  const version = await raiseVersion()
  if (version === before) throw new Error(`The version is ${before}, as before.`)
  await publish()
  await useAsUser(version)
  console.log(`\nThe notes of v${version}:\n`)
  console.log(await run('npm', 'run', '--silent', 'release:notes'))
  console.log(`\nThe release of v${version} works: it follows ${before}.`)
} finally {
  await registry.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function copyRepository(): Promise<void> {
  console.log('Copying the repository …')
  await execa('git', ['clone', '--quiet', '--no-hardlinks', root, clone])
  // Its links lead to the packages of the copy.
  for (const modules of ['node_modules', ...(await packageModules())])
    await execa('cp', ['-al', join(root, modules), join(clone, modules)])
}

async function packageModules(): Promise<string[]> {
  const { stdout } = await execa('find', ['packages', 'examples', '-maxdepth', '2', '-name', 'node_modules'], {
    cwd: root,
  })
  return stdout.split('\n').filter(Boolean)
}

/** As the job "version" does. Without changesets there is nothing to release, so one is added. */
async function raiseVersion(): Promise<string> {
  const changesets = (await readdir(join(clone, '.changeset'))).filter((file) => /(?<!README)\.md$/.test(file))
  if (changesets.length === 0)
    await writeFile(join(clone, '.changeset/dry-run.md'), "---\n'@headrace/cli': patch\n---\n\nA dry run.\n")
  await step('npm', 'run', '--silent', 'release:version')
  console.log(await run('git', 'diff', '--stat', '--', '*.json', '*.ts', 'deploy', 'CHANGELOG.md'))
  const { version } = JSON.parse(await readFile(join(clone, 'packages/cli/package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/** As the jobs "select", "pack" and "publish" do. */
async function publish(): Promise<void> {
  // npm publishes only with a token; any one will do.
  await writeFile(npmrc, `${registry.url.replace('http:', '')}:_authToken=none\n`)
  await step('npm', 'run', '--silent', 'build')
  const plan = join(folder, 'publish-plan.json')
  const packed = join(folder, 'packed')
  await step('changeset', 'publish-plan', '--output', plan)
  await step('changeset', 'pack', '--out-dir', packed, '--from-publish-plan', plan)
  await step('changeset', 'publish', '--from-pack-dir', packed, '--no-git-tag')
}

/** As a user does, in an empty folder. */
async function useAsUser(version: string): Promise<void> {
  const home = join(folder, 'home')
  await mkdir(home)
  const env = { ...userEnvironment(registry), npm_config_yes: 'true', npm_config_prefer_offline: 'false' }
  const type = async (line: string, place = home) => {
    console.log(`$ ${line}`)
    return (await typeToEnd(line, place, env)).stdout()
  }
  await type('npx create-connector@latest demo --template blank --yes --no-install')
  const project = join(home, 'demo')
  await type('npm install --omit=dev --loglevel=error', project)
  const printed = (await type('npx connector --version', project)).trim()
  if (printed !== version) throw new Error(`"npx connector --version" printed ${printed}, not ${version}.`)
  await type('npx connector codegen', project)
  // The check of the action and of the hook, in a folder that has no packages.
  await type(`node ${join(clone, 'scripts/validate/main.js')} --strict demo`)
}

async function step(command: string, ...args: string[]): Promise<void> {
  console.log(`$ ${[command, ...args].join(' ').replaceAll(folder, 'DIR')}`)
  const output = await run(command, ...args)
  if (output.trim() !== '') console.log(output.replaceAll(folder, 'DIR'))
}

async function run(command: string, ...args: string[]): Promise<string> {
  const options = {
    cwd: clone,
    env: publisherEnvironment(registry),
    extendEnv: false,
    preferLocal: true,
    localDir: clone,
  }
  return (await execa(command, args, { ...options, all: true })).all
}

function publisherEnvironment({ url, npmCache }: PackedRegistry): Record<string, string> {
  return {
    ...environment.outside,
    CI: 'true',
    npm_config_registry: url,
    npm_config_cache: npmCache,
    npm_config_noproxy: '127.0.0.1',
    npm_config_userconfig: npmrc,
  }
}
