import type { ServerResponse } from 'node:http'
import { RefusedError } from '../errors.ts'

/** What clients have asked for and do not take stays in memory: how much of it there may be, of all of them together. */
export interface UnsentPages {
  /**
   * Counts a page until its answers are over: once, to how many clients it may be sent, and for the key that was first.
   *
   * @throws {RefusedError} `overloaded`: it would be too much, and it is not the only one.
   */
  add(page: Uint8Array, to: { readonly response: ServerResponse; readonly keyId: string }): void
}

/** Share of them that may be of one key: who takes nothing keeps out nobody but himself. */
const keyShare = 0.25

interface UnsentPage {
  readonly keyId: string
  answers: number
}

export function createUnsentPages(maxBytes: number): UnsentPages {
  const pages = new Map<Uint8Array, UnsentPage>()
  const bytesByKey = new Map<string, number>()
  let bytes = 0
  return {
    add(page, { response, keyId }) {
      if (response.closed) return
      const unsent = pages.get(page) ?? hold(page, keyId)
      unsent.answers++
      response.once('close', () => {
        if (--unsent.answers === 0) release(page, unsent)
      })
    },
  }

  function hold(page: Uint8Array, keyId: string): UnsentPage {
    const ofKey = bytesByKey.get(keyId) ?? 0
    const isTooMuch = bytes > 0 && bytes + page.byteLength > maxBytes
    const isTooMuchForKey = ofKey > 0 && ofKey + page.byteLength > maxBytes * keyShare
    if (isTooMuch || isTooMuchForKey)
      throw new RefusedError('overloaded', 'Too many pages that were asked for have not been taken yet.', {
        headers: { 'retry-after': '1' },
      })
    const unsent = { keyId, answers: 0 }
    pages.set(page, unsent)
    bytesByKey.set(keyId, ofKey + page.byteLength)
    bytes += page.byteLength
    return unsent
  }

  function release(page: Uint8Array, { keyId }: UnsentPage): void {
    pages.delete(page)
    const ofKey = bytesByKey.get(keyId)! - page.byteLength
    if (ofKey === 0) bytesByKey.delete(keyId)
    else bytesByKey.set(keyId, ofKey)
    bytes -= page.byteLength
  }
}
