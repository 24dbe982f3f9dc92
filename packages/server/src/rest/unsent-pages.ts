import type { ServerResponse } from 'node:http'
import { RefusedError } from '../errors.ts'

/** What clients have asked for and do not take stays in memory: how much of it there may be, of all of them together. */
export interface UnsentPages {
  /**
   * Counts the bytes of a page until its answer is over. Where several are sent the same bytes, they count for each.
   *
   * @throws {RefusedError} `overloaded`: it would be too much, and it is not the only one.
   */
  add(response: ServerResponse, bytes: number): void
}

export function createUnsentPages(maxBytes: number): UnsentPages {
  let unsent = 0
  return {
    add(response, bytes) {
      if (response.closed) return
      if (unsent > 0 && unsent + bytes > maxBytes)
        throw new RefusedError('overloaded', 'Too much has been asked for that was not taken yet.', {
          headers: { 'retry-after': '1' },
        })
      unsent += bytes
      response.once('close', () => {
        unsent -= bytes
      })
    },
  }
}
