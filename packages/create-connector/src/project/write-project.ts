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
 * The current folder is filled instead, entry by entry, since the shell of the user stays in it.
 *
 * @param dir - Must not exist, or be empty.
 * @throws {UserError} `folder_exists`, `folder_not_written`
 */
export async function writeProject(dir: string, files: readonly ProjectFile[]): Promise<void> {
  await checkFolder(dir)
  const fills = await isCurrentFolder(dir)
  const hidden = join(fills ? dir : dirname(dir), `.${basename(dir)}.${randomBytes(4).toString('hex')}`)
  let made: string | undefined
  try {
    made = await mkdir(hidden, { recursive: true })
    await writeFiles(hidden, files)
    await (fills ? moveEntries(hidden, dir) : putInPlace(hidden, dir))
  } catch (error) {
    if (made !== undefined) await takeBack(hidden, made)
    throw asWriteError(dir, error as NodeJS.ErrnoException)
  }
}

async function isCurrentFolder(dir: string): Promise<boolean> {
  const [given, current] = await Promise.all([realpath(dir).catch(() => undefined), realpath('.')])
  return given === current
}

async function moveEntries(hidden: string, dir: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of await readdir(hidden)) {
      await rename(join(hidden, name), join(dir, name))
      moved.push(name)
    }
  } catch (error) {
    for (const name of moved) await rm(join(dir, name), { recursive: true })
    throw error
  }
  await rmdir(hidden)
}

async function putInPlace(hidden: string, dir: string): Promise<void> {
  // Not every system renames a folder to the name of an empty one.
  await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(hidden, dir)
}

/** Removes the hidden folder and those above it that were made for it, unless something else is in them by now. */
async function takeBack(hidden: string, made: string): Promise<void> {
  await rm(hidden, { recursive: true, force: true })
  for (let folder = dirname(hidden); folder.length >= made.length; folder = dirname(folder))
    await rmdir(folder).catch(() => {})
}

function asWriteError(dir: string, error: NodeJS.ErrnoException): Error {
  if (error.code === undefined || error instanceof UserError) return error
  if (['ENOTEMPTY', 'EEXIST'].includes(error.code)) return folderExists(dir, error)
  return new UserError(
    'folder_not_written',
    `${dir} cannot be written: ${error.message}. Nothing of it is left. Name a folder in which this user may write.`,
    { cause: error },
  )
}
