import { systemTopics } from '@headrace/catalog'
import { followTable, type QueueRecord } from '@headrace/queue'
import type { CompleteOptions } from '../../options/gateway-options.ts'
import { type ApiKey, decodeApiKey, isUsable } from './api-key.ts'

export interface KeyDirectory {
  find(hash: string): ApiKey | undefined
  get(id: string): ApiKey | undefined
  /** Compares bytes. */
  hasOrigin(origin: string): boolean
  watch(listener: (id: string) => void): void
}

export interface KeyDirectoryOptions extends Pick<CompleteOptions, 'queue' | 'environment' | 'log'> {
  readonly signal: AbortSignal
  /** Stands for the key of callers without one, and allows every origin. */
  readonly keyless: ApiKey | undefined
  /** Not stored. */
  readonly local: ApiKey
}

/** Follows `_headrace.keys` until aborted. Resolves when all existing keys have been read. */
export async function followKeys(options: KeyDirectoryOptions): Promise<KeyDirectory> {
  const { environment, log, keyless, local } = options
  const byHash = new Map<string, ApiKey>()
  const listeners: ((id: string) => void)[] = []
  let byOrigin: Map<string, ReturnType<typeof originsOf>> | undefined

  const byId = await followTable(options.queue, { ...options, topic: systemTopics.keys, decode, onChange })
  const usable = (key: ApiKey | undefined) => (key && isUsable(key, Date.now()) ? key : undefined)
  return {
    find: (hash) => (hash === local.hash ? local : usable(byHash.get(hash))),
    get: (id) => [keyless, local].find((key) => key?.id === id) ?? usable(byId.get(id)),
    hasOrigin(origin) {
      if (keyless) return true
      byOrigin ??= Map.groupBy([...byId.values()].flatMap(originsOf), ({ origin }) => origin)
      return byOrigin.get(origin)?.some(({ key }) => usable(key)) ?? false
    },
    watch: (listener) => void listeners.push(listener),
  }

  function onChange(id: string, key: ApiKey | undefined, before: ApiKey | undefined): void {
    if (before) byHash.delete(before.hash)
    if (key) byHash.set(key.hash, key)
    byOrigin = undefined
    for (const listener of listeners) listener(id)
  }

  function decode({ key: id, value }: QueueRecord): ApiKey | undefined {
    try {
      const key = decodeApiKey(value!)
      return key.environment === environment ? key : undefined
    } catch (error) {
      log.error({ key: Buffer.from(id!).toString(), err: error }, 'key record unreadable')
      return undefined
    }
  }
}

function originsOf(key: ApiKey): { readonly origin: string; readonly key: ApiKey }[] {
  return key.origins.map((origin) => ({ origin, key }))
}
