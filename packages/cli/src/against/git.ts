import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { UserError } from '@headrace/queue'
import type { Environment } from '../environment.ts'

/** Runs git in a folder of a repository and returns its standard output. Rejects if git fails. */
export type Git = (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<string>

/** @throws {UserError} `invalid_against`: git is not installed, or the folder is in no repository. */
export async function openRepository(dir: string, ref: string, { variables }: Environment): Promise<Git> {
  const run = promisify(execFile)
  const git: Git = async (args, more) => {
    const env = { ...variables, ...more }
    const { stdout } = await run('git', ['-C', dir, ...args], { maxBuffer: maxListing, env })
    return stdout
  }
  await git(['rev-parse', '--git-dir']).catch((cause: NodeJS.ErrnoException & { stderr?: string }) => {
    const why =
      cause.code === 'ENOENT'
        ? 'git, which could know it as a ref, is not installed. Install git'
        : `git cannot look it up as a ref in ${dir} (${cause.stderr?.trim()}). Run the command in a repository`
    throw new UserError(
      'invalid_against',
      `--against names ${JSON.stringify(ref)}, which is no file, and ${why}, or name a folder or a queue.`,
      { cause },
    )
  })
  return git
}

/** Bytes of a list of files; more than any repository needs. */
const maxListing = 256 << 20
