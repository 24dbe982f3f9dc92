import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { toQueueError } from '../storage/sqlite-error.ts'

export interface Spool {
  /** Returns a function that reads the bytes back. */
  write(bytes: Uint8Array): () => Uint8Array
  close(): void
}

/** @throws {QueueUnavailableError} the disk is full. */
export function createSpool(directory: string): Spool {
  const path = join(directory, `spool-${randomUUID()}`)
  const file = withQueueErrors(path, () => openSync(path, 'wx+', 0o600))
  // The open file remains usable without its name, and is removed when the process ends in any way.
  rmSync(path)
  let length = 0
  return {
    write(bytes) {
      const at = length
      withQueueErrors(path, () => {
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
      })
      length += bytes.length
      return () => readWhole(file, at, bytes.length)
    },
    close: () => closeSync(file),
  }
}

function withQueueErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toQueueError(error, path)
  }
}

function readWhole(file: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, done, length - done, at + done)
    if (read === 0) throw new Error('The spool file of the transaction is shorter than what was written to it.')
    done += read
  }
  return bytes
}
