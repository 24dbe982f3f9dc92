import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { UserError } from '@headrace/queue'
import type { Environment } from '../environment.ts'

/** Runs git in a folder of a repository and gives what it prints. Rejects where git ends with a failure. */
export type Git = (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<string>

/**
 * Makes what runs git in a folder.
 *
 * @throws {UserError} `invalid_against`: there is no git on this machine, or the folder is in no repository.
 */
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
        ? 'there is no git on this machine that could know it as a ref. Install git'
        : `git cannot look for it as a ref in ${dir} (${cause.stderr?.trim()}). Run it in a repository`
    throw new UserError(
      'invalid_against',
      `--against names ${JSON.stringify(ref)}, which is no file, and ${why}, or name a folder or a queue.`,
      { cause },
    )
  })
  return git
}

/** Bytes of a list of files, far beyond any repository's. */
const maxListing = 256 << 20
