import { randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserError } from '@headrace/queue'
import { checkFolder, folderExists } from './check-folder.ts'
import type { ProjectFile } from './project-file.ts'
import { writeFiles } from './write-files.ts'

/**
 * Writes a project as a whole: into a hidden folder beside its own, which is then renamed. Whatever fails, and whenever
 * the process is killed, there is no folder of its name with half a project; a kill may leave the hidden one.
 *
 * @param dir - Must not exist, or be empty.
 * @throws {UserError} `folder_exists`, `folder_not_written`
 */
export async function writeProject(dir: string, files: readonly ProjectFile[]): Promise<void> {
  await checkFolder(dir)
  const hidden = join(dirname(dir), `.${basename(dir)}.${randomBytes(4).toString('hex')}`)
  let made: string | undefined
  try {
    made = await mkdir(hidden, { recursive: true })
    await writeFiles(hidden, files)
    await putInPlace(hidden, dir)
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    throw asWriteError(dir, error as NodeJS.ErrnoException)
  }
}

async function putInPlace(hidden: string, dir: string): Promise<void> {
  if (await isCurrentFolder(dir)) return moveEntries(hidden, dir)
  // Not every system renames a folder to the name of an empty one.
  await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(hidden, dir)
}

/** The folder in which the user's shell is must stay the one it is, so it is filled and not replaced. */
async function moveEntries(hidden: string, dir: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of await readdir(hidden)) {
      await rename(join(hidden, name), join(dir, name))
      moved.push(name)
    }
  } catch (error) {
    for (const name of moved) await rm(join(dir, name), { recursive: true, force: true })
    throw error
  }
  await rmdir(hidden)
}

async function isCurrentFolder(dir: string): Promise<boolean> {
  const [given, current] = await Promise.all([realpath(dir).catch(() => undefined), realpath('.')])
  return given === current
}

function asWriteError(dir: string, error: NodeJS.ErrnoException): Error {
  if (error.code === undefined || error instanceof UserError) return error
  if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code)) return folderExists(dir, error)
  return new UserError(
    'folder_not_written',
    `${dir} cannot be written: ${error.message}. Nothing of it is left. Name a folder in which this user may write.`,
    { cause: error },
  )
}
