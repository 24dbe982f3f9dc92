import { execa } from 'execa'
import type { Tarball } from '../../packages/testbed/registry/tarballs.ts'
import { type CheckResult, makeCheck } from './check-table.ts'

/** Checks a packed package: its files, its entry points and their types. */
export async function checkTarball({ name, file }: Tarball): Promise<CheckResult[]> {
  return [
    await makeCheck(name, 'files', async () => findFileProblem(await filesOf(file))),
    await makeCheck(name, 'publint', () => runTool('publint', ['run', file, '--strict'])),
    await makeCheck(name, 'attw', () => runTool('attw', [file, '--profile', 'esm-only'])),
  ]
}

async function filesOf(tarball: string): Promise<string[]> {
  const { stdout } = await execa('tar', ['-tzf', tarball])
  return stdout.split('\n').map((path) => path.replace(/^package\//, ''))
}

/** Only templates contain tests and sources. */
function findFileProblem(files: readonly string[]): string | undefined {
  const missing = ['README.md', 'LICENSE', 'package.json'].filter((file) => !files.includes(file))
  if (missing.length > 0) return `The tarball has no ${missing.join(' and no ')}.`
  const misplaced = files
    .filter((file) => !file.startsWith('templates/'))
    .filter((file) => /\.(test|bench)\.|(^|\/)test\/|\.tsbuildinfo$|^src\//.test(file))
  if (misplaced.length > 0) return `The tarball must not have ${misplaced.join(', ')}.`
  return undefined
}

async function runTool(tool: string, args: readonly string[]): Promise<string | undefined> {
  const options = { preferLocal: true, localDir: import.meta.dirname, reject: false, all: true } as const
  const { exitCode, all } = await execa(tool, args, options)
  return exitCode === 0 ? undefined : all
}

/** All packages have the same version and depend on exactly that version of each other. */
export function checkVersions(tarballs: readonly Tarball[]): Promise<CheckResult> {
  return makeCheck('Versions', 'one for all', async () => {
    const problems = await Promise.all(tarballs.map((tarball) => findVersionProblems(tarball, tarballs)))
    return problems.flat().join('\n') || undefined
  })
}

async function findVersionProblems({ name, version, file }: Tarball, tarballs: readonly Tarball[]): Promise<string[]> {
  const expected = tarballs[0]!.version
  const { stdout } = await execa('tar', ['-xzOf', file, 'package/package.json'])
  const { dependencies = {} } = JSON.parse(stdout) as { dependencies?: Record<string, string> }
  const wrong = tarballs.filter((other) => dependencies[other.name] && dependencies[other.name] !== expected)
  return [
    ...(version === expected ? [] : [`${name} has version ${version}, others ${expected}.`]),
    ...wrong.map((other) => `${name} depends on ${other.name} ${dependencies[other.name]}, not ${expected}.`),
  ]
}
