import { setTimeout as wait } from 'node:timers/promises'
import { systemTopics } from '@headrace/catalog'
import type { NewRecord } from '@headrace/queue'
import type { ApiOptions } from '../api-context.ts'
import { encodeUsage, encodeUsageKey, hourMs, hourOf } from './usage-record.ts'

export interface WriteUsageOptions extends Pick<ApiOptions, 'queue' | 'usage' | 'limits' | 'log'> {
  /** An id that no other process has. */
  readonly gateway: string
}

/**
 * Writes one record per key, hour and process, which replaces the previous one. A failed write is retried with the next
 * one. A killed gateway loses at most `usageMs`.
 *
 * @returns A function that writes the remaining usage and stops. It does not throw: it logs a loss.
 */
export function writeUsage({ queue, usage, limits, log, gateway }: WriteUsageOptions): () => Promise<void> {
  const written = new Map<string, string>()
  const waiting = new Map<string, Omit<NewRecord, 'time'>>()
  let hour = hourOf(Date.now())
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout
  schedule()

  return async () => {
    clearTimeout(timer)
    collect()
    await Promise.race([writeRemaining(), wait(limits.drainMs, undefined, { ref: false })])
    if (waiting.size > 0) log.warn({ records: waiting.size }, 'usage not written, its last seconds are lost')
  }

  /** Also at the end of an hour, so that counts belong to the hour for which they are written. */
  function schedule(): void {
    const now = Date.now()
    timer = setTimeout(tick, Math.min(limits.usageMs, hourOf(now) + hourMs - now))
  }

  function tick(): void {
    schedule()
    collect()
    writing ??= write().finally(() => {
      writing = undefined
    })
  }

  async function writeRemaining(): Promise<void> {
    await writing
    await write()
  }

  function collect(): void {
    usage.settle()
    for (const [keyId, used] of usage.keys()) {
      const value = encodeUsage(used)
      const text = value.toString()
      if (written.get(keyId) === text) continue
      written.set(keyId, text)
      const key = encodeUsageKey({ keyId, hour, gateway })
      waiting.set(`${keyId} ${hour}`, { topic: systemTopics.usage, key, value })
    }
    const now = hourOf(Date.now())
    if (now === hour) return
    hour = now
    usage.beginHour(hour)
    written.clear()
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const records = [...waiting]
    // Times in a topic must not decrease.
    const time = Date.now()
    try {
      await queue.append(records.map(([, record]) => ({ ...record, time })))
      for (const [name, record] of records) if (waiting.get(name) === record) waiting.delete(name)
    } catch (error) {
      log.warn({ records: records.length, err: error }, 'usage cannot be written, trying again')
    }
  }
}
