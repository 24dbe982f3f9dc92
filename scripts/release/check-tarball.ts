import { execa } from 'execa'
import type { Tarball } from '../registry/tarballs.ts'
import { type CheckResult, makeCheck } from './check-table.ts'

/** Checks one package as it is published: its files, its entry points and their types. */
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

/** A template's own tests belong to it. */
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
