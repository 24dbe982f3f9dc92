import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { QueueUnavailableError } from '../../errors.ts'
import type { Finding } from '../../finding.ts'
import { isBusy } from '../storage/sqlite-error.ts'
import { makeQueueFile } from '../storage/storage.ts'
import { copyQueue } from './copy-queue.ts'

/**
 * Makes a whole file of what can be trusted in a damaged one, and puts it in its place. The damaged one is kept under
 * another name, which is told. Blocks the thread.
 *
 * @throws {QueueUnavailableError} another process has the queue open, or the files cannot be written.
 * @throws {DamagedStorageError} too little is left.
 */
export function repairQueue(directory: string, file: string): Finding {
  const damaged = openAlone(file)
  const rebuilt = `${file}.repaired`
  try {
    removeDatabase(rebuilt)
    const whole = makeQueueFile(rebuilt)
    try {
      // Nobody sees the file before it is whole, so nothing of it needs a log.
      whole.exec('PRAGMA journal_mode = OFF')
      copyQueue({ database: damaged, file, directory }, { database: whole, file: rebuilt, directory })
    } finally {
      whole.close()
    }
    return keptAs(file, exchange({ directory, file, rebuilt }))
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new QueueUnavailableError(`${file} could not be exchanged for a repaired one: ${error.message}.`, {
      cause: error,
    })
  } finally {
    damaged.close()
    removeDatabase(rebuilt)
  }
}

/** Takes what is in the log over into the file, and keeps every other process out until it is closed. */
function openAlone(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000 })
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    // SQLite does this only where no other connection is open.
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new QueueUnavailableError(`Another process has ${file} open. Stop it first.`, { cause: error })
  }
}

/** At every moment there is a whole file of the name, the damaged one or the repaired one. Returns the former's new name. */
function exchange({ directory, file, rebuilt }: Record<'directory' | 'file' | 'rebuilt', string>): string {
  sync(rebuilt)
  const kept = freeName(`${file}.damaged`)
  // A link and not a copy: closing a file gives up all locks that this process has on it.
  linkSync(file, kept)
  renameSync(rebuilt, file)
  sync(directory)
  return kept
}

function removeDatabase(file: string): void {
  for (const name of [file, `${file}-journal`, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true })
}

function freeName(name: string): string {
  for (let number = 1; ; number++) if (!existsSync(`${name}-${number}`)) return `${name}-${number}`
}

/** Makes a file, or the names in a folder, durable. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function keptAs(file: string, kept: string): Finding {
  return {
    severity: 'warning',
    code: 'damaged_file_kept',
    place: file,
    message: `The file was made anew of what can be trusted in it. The damaged one is ${kept}.`,
    remedy: 'Remove it when nothing of it is needed any more.',
    repaired: true,
  }
}
