import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { RetryableError, UserError } from '@headrace/queue'
import type { SinkContext } from '../destination/destination.ts'

/** How far a topic was delivered. */
export interface Delivered {
  /** All records before it were. `undefined`: none. */
  readonly cursor: string | undefined
  /** By partition: the offset of the last delivered record, if it is after the cursor. */
  readonly offsets: Readonly<Record<string, string>>
}

export interface StateFile {
  read(topic: string): Delivered
  /** After a crash of this process, it is stored. After one of the machine, it may be up to a second older. */
  write(topic: string, delivered: Delivered): void
  close(): void
}

/** Ms between two attempts to lock the file. */
const pauseMs = 500
/** Ms between two commits that wait for the disk, which takes milliseconds. */
const syncMs = 1000

/**
 * Opens the file of a sink, and waits until no other run has it open. A lock belongs to its process, so one that was
 * killed releases it.
 *
 * @throws {UserError} `destination_refused`: the folder or the file cannot be used.
 */
export async function openStateFile(folder: string, { name, log, signal }: SinkContext): Promise<StateFile> {
  const file = join(folder, `${encodeURIComponent(name)}.webhook.db`)
  for (let attempt = 0; ; attempt++) {
    const opened = tryOpen(folder, file)
    if (opened) return opened
    if (attempt === 0) log.info({ sink: name, file }, 'waiting for another run of this sink')
    await delay(pauseMs, undefined, { signal })
  }
}

/** `undefined`: another process has it open. */
function tryOpen(folder: string, file: string): StateFile | undefined {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true })
    database = new DatabaseSync(file)
    database.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      create table if not exists delivered (topic text primary key, cursor text, offsets text not null) strict;
      begin immediate; commit;
    `)
    return stateFile(database, file)
  } catch (error) {
    database?.close()
    if (resultCode(error) === sqliteBusy) return undefined
    throw stateError(error, file)
  }
}

function stateFile(database: DatabaseSync, file: string): StateFile {
  const select = database.prepare('select cursor, offsets from delivered where topic = ?')
  const upsert = database.prepare(
    `insert into delivered values (?, ?, ?)
     on conflict do update set cursor = excluded.cursor, offsets = excluded.offsets`,
  )
  let syncedAt = Number.NEGATIVE_INFINITY
  return {
    read(topic) {
      const row = select.get(topic) as { cursor: string | null; offsets: string } | undefined
      return { cursor: row?.cursor ?? undefined, offsets: row ? JSON.parse(row.offsets) : {} }
    },
    write(topic, { cursor, offsets }) {
      const now = performance.now()
      const isSynced = now >= syncedAt + syncMs
      try {
        database.exec(`pragma synchronous = ${isSynced ? 'full' : 'normal'}`)
        upsert.run(topic, cursor ?? null, JSON.stringify(offsets))
      } catch (error) {
        throw stateError(error, file)
      }
      if (isSynced) syncedAt = now
    },
    // Syncs what was written.
    close: () => database.close(),
  }
}

/** https://sqlite.org/rescode.html: the low byte is the primary code. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

const sqliteBusy = 5
const sqliteIoError = 10
const sqliteFull = 13

function stateError(error: unknown, file: string): Error {
  const { message } = error as Error
  const code = resultCode(error)
  const text = `The cursors of the webhook cannot be kept in ${file}: ${message}.`
  if (code === sqliteIoError || code === sqliteFull)
    return new RetryableError('destination_unavailable', text, { cause: error })
  return new UserError('destination_refused', `${text} Name another folder, or correct its permissions.`, {
    cause: error,
  })
}
