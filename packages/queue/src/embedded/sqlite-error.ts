import { type HeadraceError, QueueUnavailableError, UserError } from '../errors.ts'

// Primary result codes, https://sqlite.org/rescode.html
const codes = { perm: 3, busy: 5, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 }

/** Another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === codes.busy
}

/** Pages of the file contradict each other. */
export function isCorrupt(error: unknown): boolean {
  return resultCode(error) === codes.corrupt
}

/** What an error of SQLite means to a caller of the queue; any other error as it is. */
export function toQueueError(error: unknown, file: string): unknown {
  const explain = explanations[resultCode(error) ?? -1]
  return explain === undefined ? error : explain(file, { cause: error })
}

const explanations: Record<number, (file: string, options: ErrorOptions) => HeadraceError> = {
  [codes.busy]: (file, options) => new QueueUnavailableError(`Another process keeps ${file} locked.`, options),
  [codes.ioerr]: (file, options) => new QueueUnavailableError(`${file} could not be read or written.`, options),
  [codes.full]: (file, options) => new QueueUnavailableError(`The disk of ${file} is full: make room.`, options),
  [codes.perm]: notPermitted,
  [codes.readonly]: notPermitted,
  [codes.cantOpen]: notPermitted,
  [codes.corrupt]: notAQueue,
  [codes.notADatabase]: notAQueue,
}

function notPermitted(file: string, options: ErrorOptions): HeadraceError {
  return new UserError('permission_denied', `${file} cannot be opened for reading and writing.`, options)
}

function notAQueue(file: string, options: ErrorOptions): HeadraceError {
  return new UserError(
    'unsupported_storage',
    `${file} is damaged or no database: name another folder, or restore the file from a copy.`,
    options,
  )
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}
