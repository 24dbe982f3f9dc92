import { globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../../packages/testbed/environment.ts'

/** A version of the packages, installed as users do. */
export interface Version {
  /** As it is called in the output: `0.1.0`, `6a0a26be`. */
  readonly name: string
  /** Has `node_modules`. */
  readonly folder: string
}

/** The variables of a user's shell outside the repository, with the Node of the repository. */
export const shellVariables: Record<string, string> = {
  ...environment.outside,
  PATH: [dirname(process.execPath), environment.outside.PATH].join(delimiter),
}

/** @param packages - Tarballs, or names with a version. */
export async function installVersion(name: string, packages: readonly string[], folder: string): Promise<Version> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
  return { name, folder }
}

/** The newest version on the registry that npm is configured with. `undefined`: there is none. */
export async function lastReleased(): Promise<string | undefined> {
  const { exitCode, stdout, stderr } = await execa('npm', ['view', '@headrace/cli', 'version'], {
    ...shell,
    reject: false,
  })
  if (exitCode === 0 && /^\d+\.\d+\.\d+/.test(stdout)) return stdout.trim()
  if (/E404/.test(stderr)) return undefined
  throw new Error(`npm cannot say which version is the last released one:\n${stderr}`)
}

export function installReleased(version: string, folder: string): Promise<Version> {
  const names = ['@headrace/cli', '@headrace/client', '@headrace/evm', '@headrace/sdk', 'create-connector']
  return installVersion(
    version,
    names.map((name) => `${name}@${version}`),
    folder,
  )
}

/** Builds and packs the packages of a revision of this repository, and installs them. */
export async function installRevision(revision: string, folder: string): Promise<Version> {
  const root = join(import.meta.dirname, '../..')
  const { stdout: commit } = await execa('git', ['rev-parse', '--short', `${revision}^{commit}`], { cwd: root })
  const sources = join(folder, 'sources')
  await execa('git', ['worktree', 'add', '--detach', sources, commit], { cwd: root })
  try {
    // Also builds.
    await npm(['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], sources)
    return await installVersion(commit, await packAll(sources, join(folder, 'tarballs')), join(folder, 'installed'))
  } finally {
    await execa('git', ['worktree', 'remove', '--force', sources], { cwd: root })
  }
}

async function packAll(sources: string, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const published = globSync('packages/*/package.json', { cwd: sources }).filter(
    (file) => !JSON.parse(readFileSync(join(sources, file), 'utf8')).private,
  )
  const workspaces = published.flatMap((file) => ['--workspace', dirname(file)])
  await npm(['pack', ...workspaces, '--pack-destination', folder, '--loglevel=error'], sources)
  return (await readdir(folder)).map((file) => join(folder, file))
}

const shell = { env: shellVariables, extendEnv: false } as const

async function npm(args: readonly string[], cwd: string): Promise<void> {
  await execa('npm', args, { ...shell, cwd })
}
