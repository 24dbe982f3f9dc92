import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { systemTopics } from '@headrace/catalog'
import type { NewRecord, Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { UsageMeter } from './usage-meter.ts'
import { encodeUsage, encodeUsageKey, hourMs, hourOf } from './usage-record.ts'

export interface WriteUsageOptions {
  readonly queue: Queue
  readonly meter: UsageMeter
  /** In ms: what a killed gateway loses at most. */
  readonly intervalMs: number
  readonly stopMs: number
  readonly log: Logger
}

export interface UsageWriter {
  /** Does not throw: it logs a loss. */
  stop(): Promise<void>
}

/**
 * Writes one record per key, hour and process, which replaces the previous one. A failed write is retried with the next
 * one.
 */
export function writeUsage({ queue, meter, intervalMs, stopMs, log }: WriteUsageOptions): UsageWriter {
  const gateway = randomBytes(8).toString('hex')
  const written = new Map<string, string>()
  const waiting = new Map<string, Omit<NewRecord, 'time'>>()
  let hour = hourOf(Date.now())
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout
  schedule()

  return {
    async stop() {
      clearTimeout(timer)
      collect()
      await Promise.race([writeRemaining(), wait(stopMs, undefined, { ref: false })])
      if (waiting.size > 0) log.warn({ records: waiting.size }, 'usage not written, its last seconds are lost')
    },
  }

  /** Also at the end of an hour, so that counts belong to the hour for which they are written. */
  function schedule(): void {
    const now = Date.now()
    timer = setTimeout(tick, Math.min(intervalMs, hourOf(now) + hourMs - now))
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
    meter.settle()
    for (const [keyId, used] of meter.keys()) {
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
    meter.clear()
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
