import type { ServerResponse } from 'node:http'
import { overloaded } from '../errors.ts'

/**
 * Bounds the memory of pages that clients have requested but not read. Counts a page until its responses are closed:
 * once for all clients, for the first key. Never refuses a single page.
 */
export type AddUnsentPage = (page: Uint8Array, response: ServerResponse, keyId: string) => void

/** A key's share, so that its clients cannot exclude others by not reading. */
const keyShare = 0.25

interface UnsentPage {
  readonly keyId: string
  answers: number
}

export function createUnsentPages(maxBytes: number): AddUnsentPage {
  const pages = new Map<Uint8Array, UnsentPage>()
  const bytesByKey = new Map<string, number>()
  let bytes = 0
  return (page, response, keyId) => {
    if (response.closed) return
    const unsent = pages.get(page) ?? hold(page, keyId)
    unsent.answers++
    response.once('close', () => {
      if (--unsent.answers === 0) release(page, unsent)
    })
  }

  function hold(page: Uint8Array, keyId: string): UnsentPage {
    const ofKey = bytesByKey.get(keyId) ?? 0
    const isTooMuch = bytes > 0 && bytes + page.byteLength > maxBytes
    const isTooMuchForKey = ofKey > 0 && ofKey + page.byteLength > maxBytes * keyShare
    if (isTooMuch || isTooMuchForKey)
      throw overloaded('The limit of unread pages is reached. Read the open responses first.')
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
