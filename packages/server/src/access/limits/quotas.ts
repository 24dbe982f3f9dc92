import { after } from '../../after.ts'
import { RefusedError } from '../../errors.ts'
import { monthOf } from '../../usage/month.ts'
import type { MonthCounts, MonthOfOthers } from '../../usage/month-of-others.ts'
import type { UsageMeter } from '../../usage/usage-meter.ts'
import { type ApiKey, type Quota, quotaNames } from '../keys/api-key.ts'

/**
 * Monthly quotas of keys. A gateway knows its own usage exactly, and that of others as they have written it: all of them
 * together exceed a quota by at most what they serve within about `limits.usageMs`.
 */
export interface Quotas {
  /**
   * A promise only at the first request of a key with a quota.
   *
   * @throws {RefusedError} `quota_exceeded`. The errors of the queue.
   */
  check(key: ApiKey): void | Promise<void>
  /** Whether no more records may be sent. False while the usage of other gateways is not known. */
  areRecordsUsedUp(key: ApiKey): boolean
  /** @throws {RefusedError} `quota_exceeded`: no more records may be sent. */
  checkRecords(key: ApiKey): void
  state(key: ApiKey): Promise<QuotaState | undefined>
}

/** What a quota limits, and when all of it is available again. */
export type QuotaState = { readonly [Name in keyof Quota]: { readonly limit: number; readonly left: number } } & {
  readonly resetsAt: string
}

export interface QuotasOptions {
  readonly usage: UsageMeter
  readonly others: MonthOfOthers
}

export function createQuotas({ usage, others }: QuotasOptions): Quotas {
  return {
    check(key) {
      if (key.quota === undefined) return
      return after(usedBy(key), (used) => {
        const name = exceeded(key, used, quotaNames)
        if (name !== undefined) throw quotaExceeded(name, key.quota![name]!)
      })
    },
    areRecordsUsedUp: (key) => usedUp(key) !== undefined,
    checkRecords(key) {
      const name = usedUp(key)
      if (name !== undefined) throw quotaExceeded(name, key.quota![name]!)
    },
    async state(key) {
      const { quota } = key
      if (quota === undefined) return undefined
      const used = await usedBy(key)
      const names = quotaNames.filter((name) => quota[name] !== undefined)
      const left = names.map((name) => [name, { limit: quota[name]!, left: Math.max(0, quota[name]! - used[name]) }])
      return { ...Object.fromEntries(left), resetsAt: new Date(monthOf(Date.now()).end).toISOString() }
    },
  }

  function usedUp(key: ApiKey): keyof Quota | undefined {
    if (key.quota === undefined) return undefined
    const used = usedBy(key)
    if (!(used instanceof Promise)) return exceeded(key, used, ['records', 'bytes'])
    used.catch(() => undefined)
    return undefined
  }

  function usedBy({ id }: ApiKey): MonthCounts | Promise<MonthCounts> {
    return after(others.of(id), (used) => {
      const own = usage.inMonth(id)
      return {
        requests: used.requests + own.requests,
        records: used.records + own.records,
        bytes: used.bytes + own.bytes,
      }
    })
  }
}

function exceeded({ quota }: ApiKey, used: MonthCounts, names: readonly (keyof Quota)[]): keyof Quota | undefined {
  return names.find((name) => used[name] >= (quota![name] ?? Number.POSITIVE_INFINITY))
}

function quotaExceeded(name: keyof Quota, limit: number): RefusedError {
  const { end } = monthOf(Date.now())
  const resetsAt = new Date(end).toISOString()
  const message = `This key may use ${limit} ${name} a month, and has used them. More are available from ${resetsAt} on.`
  return new RefusedError('quota_exceeded', message, {
    headers: { 'retry-after': `${Math.ceil((end - Date.now()) / 1000)}` },
    members: { quota: name, resetsAt },
  })
}
