import { readdir } from 'node:fs/promises'
import { UserError } from '@headrace/queue'

export async function checkFolder(dir: string): Promise<void> {
  const entries = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw folderExists(dir, error)
    const message = `${dir} cannot be read: ${error.message}. Name a folder that this user may write to.`
    throw new UserError('folder_not_written', message, { cause: error })
  })
  if (entries.length > 0) throw folderExists(dir)
}

export function folderExists(dir: string, cause?: Error): UserError {
  return new UserError(
    'folder_exists',
    `${dir} exists and is not an empty folder. Nothing in it was changed. Name a new folder, or an empty one.`,
    { cause },
  )
}
