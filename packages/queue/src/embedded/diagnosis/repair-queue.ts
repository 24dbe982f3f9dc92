import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { QueueUnavailableError } from '../../errors.ts'
import { isBusy } from '../storage/sqlite-error.ts'
import { makeQueueFile } from '../storage/storage.ts'
import { copyQueue } from './copy-queue.ts'
import type { LostRange } from './lost-records.ts'

/** A file of what can be trusted in a damaged one, which is not in its place yet. */
export interface RebuiltQueue extends Disposable {
  /** What is not in it, of what was in the damaged one. */
  readonly lost: readonly LostRange[]
  /**
   * Puts the file in the place of the damaged one, which is kept under the name that is returned.
   *
   * @throws {QueueUnavailableError} the files cannot be exchanged.
   */
  putInPlace(): string
  /** Gives the damaged file free. Where the other one is not in its place, nothing is left of it. */
  [Symbol.dispose](): void
}

/**
 * Makes a whole file of what can be trusted in a damaged one, see `copyQueue`. Blocks the thread. Until it is disposed of,
 * no other process can open the damaged file, of which nothing changes but that its log is taken over.
 *
 * A file that is shorter than it says is read as far as it reaches.
 *
 * @throws {QueueUnavailableError} another process has the queue open, or the file cannot be written.
 * @throws {DamagedStorageError} the rows of topics or partitions are damaged: nobody can tell what belongs to them.
 */
export function rebuildQueue(directory: string, file: string): RebuiltQueue {
  const damaged = openAlone(file)
  const rebuilt = `${file}.repaired`
  function dispose(): void {
    damaged.close()
    removeDatabase(rebuilt)
  }
  try {
    removeDatabase(rebuilt)
    const whole = makeQueueFile(rebuilt)
    try {
      // Nobody sees the file before it is whole, so nothing of it needs a log.
      whole.exec('PRAGMA journal_mode = OFF')
      const lost = copyQueue({ database: damaged, file, directory }, { database: whole, file: rebuilt, directory })
      return { lost, putInPlace: () => exchange({ directory, file, rebuilt }), [Symbol.dispose]: dispose }
    } finally {
      whole.close()
    }
  } catch (error) {
    dispose()
    throw asUnavailable(file, error)
  }
}

/**
 * Takes what is in the log over into the file, and keeps every other process out until it is closed.
 *
 * @throws {QueueUnavailableError} another process has it open.
 */
export function openAlone(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000, defensive: false })
  try {
    // SQLite then opens a file that has fewer pages than its header says.
    database.exec('PRAGMA writable_schema = ON')
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
  try {
    sync(rebuilt)
    const kept = freeName(`${file}.damaged`)
    // A link and not a copy: closing a file gives up all locks that this process has on it.
    linkSync(file, kept)
    renameSync(rebuilt, file)
    sync(directory)
    return kept
  } catch (error) {
    throw asUnavailable(file, error)
  }
}

/** What an error of the file system means; any other error as it is. */
function asUnavailable(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const message = `${file} could not be exchanged for a repaired one: ${error.message}.`
  return new QueueUnavailableError(message, { cause: error })
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
