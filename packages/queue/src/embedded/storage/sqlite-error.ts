import { DamagedStorageError, type HeadraceError, QueueUnavailableError, UserError } from '../../errors.ts'
import { lockedError } from './lock-holder.ts'

// Primary result codes, https://sqlite.org/rescode.html
const codes = {
  error: 1,
  perm: 3,
  busy: 5,
  noMemory: 7,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
}

// Extended result codes of `ioerr`: write, fsync, truncate, and the growth of the file that readers share.
const writeCodes = [778, 1034, 1546, 4874]

/** Another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === codes.busy
}

/** What is in the file contradicts itself. */
export function isCorrupt(error: unknown): boolean {
  return toQueueError(error, '') instanceof DamagedStorageError
}

/** Something in the file cannot be read: it contradicts itself, the file is shorter than it says, or the disk fails. */
export function isUnreadable(error: unknown): boolean {
  const code = extendedCode(error)
  return isCorrupt(error) || (resultCode(error) === codes.ioerr && !writeCodes.includes(code!))
}

/** What an error of SQLite means to a caller of the queue; any other error as it is. */
export function toQueueError(error: unknown, file: string): unknown {
  if (outOfRoom.some((code) => isNodeError(error, code))) return full(file, { cause: error })
  const explain = explanations[resultCode(error) ?? -1]
  if (explain !== undefined) return explain(file, { cause: error })
  // No number of a queue is so large, so it has changed.
  if (isNodeError(error, 'ERR_OUT_OF_RANGE')) return damaged(file, { cause: error })
  return error
}

const explanations: Record<number, (file: string, options: ErrorOptions) => HeadraceError> = {
  [codes.busy]: lockedError,
  [codes.protocol]: lockedError,
  [codes.noMemory]: (file, options) => new QueueUnavailableError(`There is no memory left to read ${file}.`, options),
  [codes.ioerr]: notReadOrWritten,
  [codes.full]: full,
  [codes.perm]: notPermitted,
  [codes.readonly]: notPermitted,
  [codes.cantOpen]: notPermitted,
  // The statements are right, so a table or a row is not what it was.
  [codes.error]: damaged,
  [codes.corrupt]: damaged,
  [codes.tooBig]: damaged,
  [codes.constraint]: damaged,
  [codes.mismatch]: damaged,
  [codes.notADatabase]: (file, options) =>
    new UserError(
      'unsupported_storage',
      `${file} is no database, or its first page is damaged: name another folder, or restore the file from a copy.`,
      options,
    ),
}

/** A file that may not grow further, and a quota that is used up, are a full disk to whoever writes. */
const outOfRoom = ['ENOSPC', 'EFBIG', 'EDQUOT']

function full(file: string, options: ErrorOptions): HeadraceError {
  return new QueueUnavailableError(`The disk of ${file} is full: make room.`, options)
}

// What SQLite calls a full disk is ENOSPC in a write alone. Where a limit of size or a quota is met, it says that it
// could not write, and not why.
function notReadOrWritten(file: string, options: ErrorOptions): HeadraceError {
  const message = writeCodes.includes(extendedCode(options.cause) ?? -1)
    ? `${file} could not be written: its disk is full, or it fails. Make room.`
    : `${file} could not be read or written.`
  return new QueueUnavailableError(message, options)
}

function notPermitted(file: string, options: ErrorOptions): HeadraceError {
  return new UserError(
    'permission_denied',
    `${file} cannot be opened for reading and writing: check who may, or name another folder.`,
    options,
  )
}

function damaged(file: string, options: ErrorOptions): HeadraceError {
  return new DamagedStorageError(file, 'its pages contradict each other', options)
}

function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode
}

function isNodeError(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code
}
