import type { Writable } from 'node:stream'
import { UserError } from '@headrace/queue'

/** Where a command's results go, and nothing but results. */
export interface Output {
  /**
   * Resolves when the reader has room for more.
   *
   * @throws {OutputClosedError}
   * @throws {UserError} `output_failed`: for instance, the disk is full.
   */
  write(chunk: string | Uint8Array): Promise<void>
}

/** The reader of the results has gone, e.g. `head` with its lines read. It is no failure. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

export function createOutput(stream: Writable): Output {
  // Each write reports its own failure; without a listener the same one would be thrown at large.
  stream.on('error', () => {})
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stream.write(chunk, (error) => (error ? reject(asOutputError(error)) : resolve()))
      }),
  }
}

function asOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
    return new OutputClosedError('The reader of the output has gone.', { cause: error })
  const message = `The results cannot be written: ${error.message}. Make room, or send them elsewhere.`
  return new UserError('output_failed', message, { cause: error })
}
