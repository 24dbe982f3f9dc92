import type { Queue } from '@headrace/queue'
import { type CreatedKey, createKey } from '@headrace/server'

/** A gateway that is killed revokes nothing: the key of its run expires. */
const keyLastsMs = 24 * 3_600_000

/** Makes a development key for one run of a command, which is to revoke it at its end. */
export function createRunKey(queue: Queue, name: string): Promise<CreatedKey> {
  return createKey(queue, { name, environment: 'development', expires: new Date(Date.now() + keyLastsMs) })
}
