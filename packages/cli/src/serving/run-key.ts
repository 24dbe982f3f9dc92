import { createToken } from '@headrace/client/token'
import type { Queue } from '@headrace/queue'
import { type CreatedKey, createKey } from '@headrace/server'

export interface RunKey extends CreatedKey {
  readonly expires: Date
}

/** The key expires even if the gateway is killed, and so cannot revoke it. */
const lastsMs = 24 * 3_600_000

export async function createRunKey(queue: Queue, name: string): Promise<RunKey> {
  const expires = new Date(Date.now() + lastsMs)
  return { ...(await createKey(queue, { name, environment: 'development', expires })), expires }
}

/**
 * The address of the explorer. With a key, the link opens signed in for as long as the key is valid. Browsers send no
 * fragment, so the token reaches no log of a server.
 */
export async function explorerLink(url: string, made: RunKey | undefined): Promise<string> {
  // Browsers do not open the address of all interfaces on every system.
  const page = `${url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:')}/`
  if (!made) return page
  // The clock is read again for the token.
  const expiresIn = Math.floor((made.expires.getTime() - Date.now()) / 1000) - 1
  return `${page}#token=${await createToken({ apiKey: made.key, expiresIn })}`
}
