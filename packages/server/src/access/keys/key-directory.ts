import { systemTopics } from '@headrace/catalog'
import type { Queue, RecordBatch } from '@headrace/queue'
import type { Logger } from 'pino'
import { followTopic } from '../../operations/follow-topic.ts'
import { type ApiKey, decodeApiKey, isUsable } from './api-key.ts'
import type { Environment } from './key-format.ts'

export interface KeyDirectory {
  /** The usable key with this SHA-256, if there is one. */
  find(hash: string): ApiKey | undefined
  /** The usable key with this id, as it is now. */
  get(id: string): ApiKey | undefined
  /** Whether any usable key of the environment is registered for this origin, byte for byte. */
  hasOrigin(origin: string): boolean
  /** Calls a function with the id of each key that is created, changed or revoked from now on. */
  watch(listener: (id: string) => void): void
}

export interface KeyDirectoryOptions {
  readonly queue: Queue
  readonly environment: Environment
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Follows `_headrace.keys`. Resolves when every key created before the call is known; goes on until aborted. */
export async function followKeys(options: KeyDirectoryOptions): Promise<KeyDirectory> {
  const byId = new Map<string, ApiKey>()
  const byHash = new Map<string, ApiKey>()
  const listeners: ((id: string) => void)[] = []
  let byOrigin: Map<string, ApiKey[]> | undefined

  await followTopic({ ...options, topic: systemTopics.keys, onBatch: apply })
  const usable = (key: ApiKey | undefined) => (key && isUsable(key, Date.now()) ? key : undefined)
  return {
    find: (hash) => usable(byHash.get(hash)),
    get: (id) => usable(byId.get(id)),
    hasOrigin(origin) {
      byOrigin ??= keysByOrigin(byId.values())
      return byOrigin.get(origin)?.some(usable) ?? false
    },
    watch: (listener) => void listeners.push(listener),
  }

  function apply(batch: RecordBatch): void {
    const changed: string[] = []
    for (const record of batch.records()) {
      if (record.key === null) continue
      const id = Buffer.from(record.key).toString('utf8')
      const before = byId.get(id)
      if (before) byHash.delete(before.hash)
      byId.delete(id)
      const key = record.value && decode(record.value, id)
      if (key && key.environment === options.environment) {
        byId.set(id, key)
        byHash.set(key.hash, key)
      }
      changed.push(id)
    }
    byOrigin = undefined
    for (const id of changed) for (const listener of listeners) listener(id)
  }

  function decode(value: Uint8Array, id: string): ApiKey | undefined {
    try {
      return decodeApiKey(value)
    } catch (error) {
      options.log.error({ key: id, err: error }, 'key record unreadable')
      return undefined
    }
  }
}

function keysByOrigin(keys: Iterable<ApiKey>): Map<string, ApiKey[]> {
  const found = new Map<string, ApiKey[]>()
  for (const key of keys)
    for (const origin of key.origins) {
      const others = found.get(origin)
      if (others) others.push(key)
      else found.set(origin, [key])
    }
  return found
}
