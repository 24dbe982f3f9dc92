import type { Writable } from 'node:stream'
import { UserError } from '@headrace/queue'

export interface Output {
  /** Resolves when the chunk is written: backpressure for the caller. */
  write(chunk: string | Uint8Array): Promise<void>
}

/** The reader of the results, e.g. `head`, has closed the pipe. This is no failure. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

export function createOutput(stream: Writable): Output {
  // Each write reports its own failure. Without a listener the error would be uncaught.
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
    return new OutputClosedError('The reader of the output has closed it.', { cause: error })
  const message = `The results cannot be written: ${error.message}. Free disk space, or redirect the output.`
  return new UserError('output_failed', message, { cause: error })
}
