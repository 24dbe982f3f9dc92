import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { QueueUnavailableError } from '../../errors.ts'
import { isBusy } from '../storage/sqlite-error.ts'
import { createQueueFile } from '../storage/storage.ts'
import { copyQueue } from './copy-queue.ts'
import type { LostRange } from './findings.ts'

/** To dispose of it releases the damaged file, and removes an unused copy. */
export interface RebuiltQueue extends Disposable {
  readonly lost: readonly LostRange[]
  /** Returns the name under which the damaged file is kept. */
  replaceDamaged(): string
}

/**
 * Copies what is not damaged into a new file. Blocks the thread. No other process can open the damaged file until the
 * result is disposed of. Its write-ahead log is merged into it.
 *
 * @throws {QueueUnavailableError} another process has the queue open, or the copy cannot be written.
 * @throws {DamagedStorageError} the rows of topics or partitions are damaged beyond repair.
 */
export function rebuildQueue(file: string): RebuiltQueue {
  const damaged = openExclusively(file)
  const rebuilt = `${file}.repaired`
  function dispose(): void {
    damaged.close()
    removeDatabase(rebuilt)
  }
  try {
    removeDatabase(rebuilt)
    const copy = createQueueFile(rebuilt)
    try {
      // No process opens the copy before it is complete.
      copy.exec('PRAGMA journal_mode = OFF')
      const lost = copyQueue({ database: damaged, file }, { database: copy, file: rebuilt })
      return { lost, replaceDamaged: () => replaceFile(file, rebuilt), [Symbol.dispose]: dispose }
    } finally {
      copy.close()
    }
  } catch (error) {
    dispose()
    throw asUnavailable(file, error)
  }
}

/** Merges the write-ahead log into the file. */
export function openExclusively(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000, defensive: false })
  try {
    // SQLite then opens a file that has fewer pages than its header states.
    database.exec('PRAGMA writable_schema = ON')
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    // Fails if another connection is open.
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new QueueUnavailableError(`Another process has ${file} open. Stop it first.`, { cause: error })
  }
}

function replaceFile(file: string, rebuilt: string): string {
  try {
    sync(rebuilt)
    const kept = unusedName(`${file}.damaged`)
    // Reading it for a copy would release the locks of this process when it is closed.
    linkSync(file, kept)
    renameSync(rebuilt, file)
    sync(dirname(file))
    return kept
  } catch (error) {
    throw asUnavailable(file, error)
  }
}

function asUnavailable(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const message = `${file} could not be replaced by a repaired copy: ${error.message}.`
  return new QueueUnavailableError(message, { cause: error })
}

function removeDatabase(file: string): void {
  for (const name of [file, `${file}-journal`, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true })
}

function unusedName(name: string): string {
  for (let number = 1; ; number++) if (!existsSync(`${name}-${number}`)) return `${name}-${number}`
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
