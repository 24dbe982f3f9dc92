import { readdir } from 'node:fs/promises'
import { UserError } from '@headrace/queue'

/**
 * Makes sure that a project can be written into a folder: one that does not exist, or is empty.
 *
 * @throws {UserError} `folder_exists`, `folder_not_written`
 */
export async function checkFolder(dir: string): Promise<void> {
  const entries = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw folderExists(dir, error)
    const message = `${dir} cannot be read: ${error.message}. Name a folder in which this user may write.`
    throw new UserError('folder_not_written', message, { cause: error })
  })
  if (entries.length > 0) throw folderExists(dir)
}

export function folderExists(dir: string, cause?: Error): UserError {
  return new UserError(
    'folder_exists',
    `${dir} exists and is no empty folder. Nothing in it was changed. Name a folder that is yet to be made, or is empty.`,
    { cause },
  )
}
