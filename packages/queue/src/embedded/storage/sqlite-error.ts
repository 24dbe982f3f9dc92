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

// Extended result codes of `ioerr`: write, fsync, truncate, and growing the shared-memory file.
const writeCodes = [778, 1034, 1546, 4874]

export function isBusy(error: unknown): boolean {
  return resultCode(error) === codes.busy
}

export function isCorrupt(error: unknown): boolean {
  return toQueueError(error, '') instanceof DamagedStorageError
}

export function isUnreadable(error: unknown): boolean {
  const code = extendedCode(error)
  return isCorrupt(error) || (resultCode(error) === codes.ioerr && !writeCodes.includes(code!))
}

/** Returns an error that is not of SQLite unchanged. */
export function toQueueError(error: unknown, file: string): unknown {
  if (diskFullCodes.some((code) => isNodeError(error, code))) return diskFull(file, { cause: error })
  const explain = explanations[resultCode(error) ?? -1]
  if (explain !== undefined) return explain(file, { cause: error })
  // No intact number is so large.
  if (isNodeError(error, 'ERR_OUT_OF_RANGE')) return damaged(file, { cause: error })
  return error
}

const explanations: Record<number, (file: string, options: ErrorOptions) => HeadraceError> = {
  [codes.busy]: lockedError,
  [codes.protocol]: lockedError,
  [codes.noMemory]: (file, options) => new QueueUnavailableError(`There is no memory left to read ${file}.`, options),
  [codes.ioerr]: notReadOrWritten,
  [codes.full]: diskFull,
  [codes.perm]: notPermitted,
  [codes.readonly]: notPermitted,
  [codes.cantOpen]: notPermitted,
  // The statements are correct, so a table or a row is damaged.
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

/** Includes a limit on the size of a file, and a quota. */
const diskFullCodes = ['ENOSPC', 'EFBIG', 'EDQUOT']

function diskFull(file: string, options: ErrorOptions): HeadraceError {
  return new QueueUnavailableError(`The disk of ${file} is full: make room.`, options)
}

// SQLite reports a full disk only for ENOSPC. A limit or a quota is a failed write without a reason.
function notReadOrWritten(file: string, options: ErrorOptions): HeadraceError {
  const message = writeCodes.includes(extendedCode(options.cause) ?? -1)
    ? `${file} could not be written: its disk is full, or it fails. Make room, or check the disk.`
    : `${file} could not be read or written.`
  return new QueueUnavailableError(message, options)
}

function notPermitted(file: string, options: ErrorOptions): HeadraceError {
  return new UserError(
    'permission_denied',
    `${file} cannot be opened for reading and writing: check its permissions, or name another folder.`,
    options,
  )
}

function damaged(file: string, options: ErrorOptions): HeadraceError {
  return new DamagedStorageError(file, 'its pages are inconsistent', options)
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
