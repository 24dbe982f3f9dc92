import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { startScaffold, userVariables } from './scaffold-process.ts'

/** A project of the command, with the packages of this repository in its `node_modules`. */
export interface LinkedProject extends AsyncDisposable {
  readonly dir: string
  /** Runs a file of its `node_modules`. Resolves with any exit code. */
  run(file: string, ...args: readonly string[]): Promise<ProgramResult>
  connector(...args: readonly string[]): Promise<ProgramResult>
}

export interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Makes the project `demo`, links its dependencies instead of an installation, and generates its code. */
export async function makeLinkedProject(...options: readonly string[]): Promise<LinkedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'create-connector-linked-'))
  const dir = join(folder, 'demo')
  const args = [dir, '--no-install', '--yes', '--package-manager', 'npm', '--owner', 'me', ...options]
  const { code, stderr } = await startScaffold('create-connector', folder, args).ended
  if (code !== 0) throw new Error(`create-connector ended with ${code}: ${stderr}`)
  await linkDependencies(dir)
  const run = (file: string, ...args: readonly string[]) => runNode(dir, [join('node_modules', file), ...args])
  const connector = (...args: readonly string[]) => run('@headrace/cli/bin/connector.js', ...args)
  const generated = await connector('codegen')
  if (generated.code !== 0) throw new Error(`connector codegen ended with ${generated.code}: ${generated.stderr}`)
  return {
    dir,
    run,
    connector,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Runs the checks of its CI. */
export async function expectSound(project: LinkedProject): Promise<void> {
  const checks = [
    await project.run('typescript/bin/tsc'),
    await project.connector('manifest', 'validate', '--strict'),
    await project.connector('codegen', '--check'),
    // The default of 5 s is too short on a loaded machine.
    await project.run('vitest/vitest.mjs', 'run', '--testTimeout=120000'),
  ]
  expect(checks.filter(({ code }) => code !== 0)).toEqual([])
}

async function linkDependencies(dir: string): Promise<void> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(dir, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(installed, name), link)
  }
}

function runNode(cwd: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { cwd, env: userVariables(), maxBuffer: 64 << 20 }
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    )
  })
}
