import { randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserError } from '@headrace/queue'

export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly content: string | Uint8Array
}

/**
 * Completely or not at all: writes a hidden folder, then renames it. Entries of the current folder are moved one by
 * one, because the user's shell is in it.
 */
export async function writeProject(dir: string, files: readonly ProjectFile[]): Promise<void> {
  await checkFolder(dir)
  const isCurrent = await isCurrentFolder(dir)
  const hidden = join(isCurrent ? dir : dirname(dir), `.${basename(dir)}.${randomBytes(4).toString('hex')}`)
  let made: string | undefined
  try {
    made = await mkdir(hidden, { recursive: true })
    await writeFiles(hidden, files)
    await (isCurrent ? moveEntries(hidden, dir) : renameFolder(hidden, dir))
  } catch (error) {
    if (made !== undefined) await removeCreated(hidden, made)
    throw asWriteError(dir, error as NodeJS.ErrnoException)
  }
}

async function isCurrentFolder(dir: string): Promise<boolean> {
  const [given, current] = await Promise.all([realpath(dir).catch(() => undefined), realpath('.')])
  return given === current
}

export async function writeFiles(folder: string, files: readonly ProjectFile[]): Promise<void> {
  for (const { path, content } of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
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

async function renameFolder(hidden: string, dir: string): Promise<void> {
  // Some systems do not replace an empty folder when renaming.
  await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(hidden, dir)
}

/** Also removes created parent folders, unless they have other contents by now. */
async function removeCreated(hidden: string, made: string): Promise<void> {
  await rm(hidden, { recursive: true, force: true })
  for (let folder = dirname(hidden); folder.length >= made.length; folder = dirname(folder))
    await rmdir(folder).catch(() => {})
}

function asWriteError(dir: string, error: NodeJS.ErrnoException): Error {
  if (error.code === undefined || error instanceof UserError) return error
  if (['ENOTEMPTY', 'EEXIST'].includes(error.code)) return folderExists(dir, error)
  return new UserError(
    'folder_not_written',
    `${dir} cannot be written: ${error.message}. All new files were removed. Name a folder that this user may write to.`,
    { cause: error },
  )
}

export async function checkFolder(dir: string): Promise<void> {
  const entries = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw folderExists(dir, error)
    const message = `${dir} cannot be read: ${error.message}. Name a folder that this user may write to.`
    throw new UserError('folder_not_written', message, { cause: error })
  })
  if (entries.length > 0) throw folderExists(dir)
}

function folderExists(dir: string, cause?: Error): UserError {
  return new UserError(
    'folder_exists',
    `${dir} exists and is not an empty folder. Nothing in it was changed. Name a new folder, or an empty one.`,
    { cause },
  )
}
