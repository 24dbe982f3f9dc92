import type { Queue } from '@headrace/queue'
import { type CreatedKey, createKey } from '@headrace/server'

/** The key expires even if the gateway is killed, and so cannot revoke it. */
const keyLastsMs = 24 * 3_600_000

/** Creates a development key for one run of a command, which revokes it at its end. */
export function createRunKey(queue: Queue, name: string): Promise<CreatedKey> {
  return createKey(queue, { name, environment: 'development', expires: new Date(Date.now() + keyLastsMs) })
}
