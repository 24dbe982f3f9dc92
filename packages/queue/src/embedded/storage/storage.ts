import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { DamagedStorageError, QueueUnavailableError, UserError } from '../../errors.ts'
import { applicationId, schema, schemaVersion } from './schema.ts'
import { isBusy, toQueueError } from './sqlite-error.ts'

export interface Storage {
  readonly file: string
  readonly database: DatabaseSync
}

export interface StorageOptions {
  /** A folder on a local disk, because processes share SQLite's log through memory. */
  readonly directory: string
  readonly create: boolean
}

/** Several processes may open and create the same queue concurrently. */
export async function openStorage({ directory, create }: StorageOptions): Promise<Storage> {
  const file = join(directory, 'queue.db')
  if (create) createDirectory(directory)
  else if (!existsSync(file)) {
    const remedy = 'Run a connector first, or name the folder of another queue.'
    throw new UserError('queue_not_found', `There is no queue in ${directory}. ${remedy}`)
  }
  for (;;) {
    const before = fileNumber(file)
    const database = await openFile(file)
    // A repair may have replaced the file while it was being opened.
    if (before === undefined || before === fileNumber(file)) return { file, database }
    database.close()
  }
}

/** Runs `work` in one read transaction, or in the one that is open. */
export type InSnapshot = <T>(work: () => T) => T

export function createSnapshot({ database, file }: Storage, closing: AbortSignal): InSnapshot {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (work) => {
    if (closing.aborted) throw closedError()
    if (database.isTransaction) return work()
    try {
      begin.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw toQueueError(error, file)
    }
  }
}

export function closedError(): QueueUnavailableError {
  return new QueueUnavailableError('The queue has been closed.')
}

export function createQueueFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  setUp(database, file)
  return database
}

function fileNumber(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

async function openFile(file: string): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: lockTimeoutMs })
    await setUpWhenFree(database, file)
    return database
  } catch (error) {
    database?.close()
    throw toQueueError(error, file)
  }
}

/** How long a statement may block the thread to wait for a lock. */
const lockTimeoutMs = 50

const openBudgetMs = 30_000

// Node's `recursive` never returns below a folder such as /proc.
function createDirectory(directory: string): void {
  if (existsSync(directory)) return
  createDirectory(dirname(directory))
  try {
    mkdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    const message = `The folder ${directory} cannot be created: check its permissions, or name another folder.`
    throw new UserError('permission_denied', message, { cause: error })
  }
}

async function setUpWhenFree(database: DatabaseSync, file: string): Promise<void> {
  for (const deadline = performance.now() + openBudgetMs; ; await delay(5)) {
    try {
      return setUp(database, file)
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
  }
}

function setUp(database: DatabaseSync, file: string): void {
  // Has an effect only before the first page is written.
  database.exec('PRAGMA page_size = 16384')
  // Another process may be creating the tables.
  database.exec('BEGIN')
  refuseForeign(database, file)
  database.exec('COMMIT')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA cache_size = -16384')
  database.exec('PRAGMA cell_size_check = ON')
  database.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`)
  if (readPragma(database, 'user_version') === schemaVersion) return
  database.exec('BEGIN IMMEDIATE')
  refuseForeign(database, file)
  if (readPragma(database, 'user_version') === 0) {
    database.exec(schema)
    database.exec(`PRAGMA application_id = ${applicationId}`)
    database.exec(`PRAGMA user_version = ${schemaVersion}`)
  }
  database.exec('COMMIT')
}

function refuseForeign(database: DatabaseSync, file: string): void {
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (tables === 0) {
    // The first page may have lost its tables.
    if (readPragma(database, 'page_count') <= 1) return
    throw new DamagedStorageError(file, 'it has pages but no tables')
  }
  if (readPragma(database, 'application_id') !== applicationId) {
    throw new UserError('unsupported_storage', `${file} is a database of another program: name another folder.`)
  }
  const version = readPragma(database, 'user_version')
  if (version === schemaVersion) return
  const found = `${file} has version ${version} of the format and this program reads version ${schemaVersion}`
  const remedy = 'open it with the version of Headrace that wrote it, or name another folder'
  throw new UserError('unsupported_storage', `${found}: ${remedy}.`)
}

function readPragma(database: DatabaseSync, name: 'application_id' | 'user_version' | 'page_count'): number {
  return database.prepare(`PRAGMA ${name}`).get()?.[name] as number
}
