import { DamagedStorageError, type HeadraceError, QueueUnavailableError, UserError } from '../../errors.ts'
import { lockedError } from './lock-holder.ts'

// Result codes: https://sqlite.org/rescode.html
const busy = 5
const ioError = 10
/** Extended codes of `ioError`: write, fsync, truncate, and growing the shared-memory file. */
const writeCodes = [778, 1034, 1546, 4874]

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy
}

export function isCorrupt(error: unknown): boolean {
  return toQueueError(error, '') instanceof DamagedStorageError
}

export function isUnreadable(error: unknown): boolean {
  return isCorrupt(error) || (primaryCode(error) === ioError && !writeCodes.includes(extendedCode(error)))
}

/** Returns an error that is not of SQLite unchanged. */
export function toQueueError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (diskFullCodes.includes(code)) return diskFull(file, { cause: error })
  // No intact number is so large.
  if (code === 'ERR_OUT_OF_RANGE') return damaged(file, { cause: error })
  return explanations[primaryCode(error)]?.(file, { cause: error }) ?? error
}

const explanations: Readonly<Record<number, (file: string, options: ErrorOptions) => HeadraceError>> = {
  1: damaged, // SQLITE_ERROR. The statements are correct, so a table or a row is damaged.
  3: notPermitted, // SQLITE_PERM
  [busy]: lockedError,
  7: noMemory, // SQLITE_NOMEM
  8: notPermitted, // SQLITE_READONLY
  [ioError]: notReadOrWritten,
  11: damaged, // SQLITE_CORRUPT
  13: diskFull, // SQLITE_FULL
  14: notPermitted, // SQLITE_CANTOPEN
  15: lockedError, // SQLITE_PROTOCOL
  18: damaged, // SQLITE_TOOBIG
  19: damaged, // SQLITE_CONSTRAINT
  20: damaged, // SQLITE_MISMATCH
  26: notADatabase, // SQLITE_NOTADB
}

/** Includes a limit on the size of a file, and a quota. */
const diskFullCodes = ['ENOSPC', 'EFBIG', 'EDQUOT']

function diskFull(file: string, options: ErrorOptions): HeadraceError {
  return new QueueUnavailableError(`The disk of ${file} is full: make room.`, options)
}

function noMemory(file: string, options: ErrorOptions): HeadraceError {
  return new QueueUnavailableError(`There is no memory left to read ${file}.`, options)
}

// SQLite reports a full disk only for ENOSPC. A limit or a quota is a failed write without a reason.
function notReadOrWritten(file: string, options: ErrorOptions): HeadraceError {
  const message = writeCodes.includes(extendedCode(options.cause))
    ? `${file} could not be written: its disk is full, or it fails. Make room, or check the disk.`
    : `${file} could not be read or written.`
  return new QueueUnavailableError(message, options)
}

function notPermitted(file: string, options: ErrorOptions): HeadraceError {
  const remedy = 'check its permissions, or name another folder'
  return new UserError('permission_denied', `${file} cannot be opened for reading and writing: ${remedy}.`, options)
}

function notADatabase(file: string, options: ErrorOptions): HeadraceError {
  const remedy = 'name another folder, or restore the file from a copy'
  const message = `${file} is no database, or its first page is damaged: ${remedy}.`
  return new UserError('unsupported_storage', message, options)
}

function damaged(file: string, options: ErrorOptions): HeadraceError {
  return new DamagedStorageError(file, 'its pages are inconsistent', options)
}

function primaryCode(error: unknown): number {
  return extendedCode(error) & 0xff
}

/** 0 if it is not an error of SQLite. */
function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}
