import { afterEach, describe, expect, it, vi } from 'vitest'
import { QueueUnavailableError } from '../src/errors.ts'
import type { OffsetBound } from '../src/kafka/admin/list-offsets.ts'
import type { Cluster } from '../src/kafka/connection/cluster.ts'
import { stableEnd } from '../src/kafka/fetch/stable-end.ts'

const bounds = vi.hoisted(() => ({ highWatermark: [] as bigint[], lastStable: [] as bigint[] }))
vi.mock('../src/kafka/admin/list-offsets.ts', () => ({
  listOffset: async (_cluster: Cluster, _place: object, bound: Exclude<OffsetBound, 'earliest'>) =>
    bounds[bound].length > 1 ? bounds[bound].shift() : bounds[bound][0],
}))

const place = { topic: 't', partition: 3 }

afterEach(() => vi.restoreAllMocks())

describe('the stable end', () => {
  it('is the high watermark at the start, once the last stable offset has passed it', async () => {
    bounds.highWatermark = [10n, 99n]
    bounds.lastStable = [7n, 9n, 12n]
    expect(await stableEnd(clusterWith({}), place)).toBe(10n)
  })

  it('is not waited for longer than the transaction timeout and 15 s, the place is named, and the wait is logged', async () => {
    bounds.highWatermark = [10n]
    bounds.lastStable = [7n]
    const waits: object[] = []
    let now = 0
    // 2 + 4 + … + 256 ms pass in truth, which count as 20 s.
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20_001 / 9
      return now
    })
    const waiting = stableEnd(clusterWith({ onWait: (fields) => waits.push(fields) }), place)
    await expect(waiting).rejects.toThrow(QueueUnavailableError)
    await expect(waiting).rejects.toThrow('"t" partition 3 is held back at offset 7 of 10')
    await expect(waiting).rejects.toThrow('20 s')
    expect(waits).toEqual([{ ...place, stable: 7n, end: 10n, limitMs: 20_000 }])
  })
})

function clusterWith({ onWait = () => {} }: { onWait?: (fields: object) => void }): Cluster {
  return {
    settings: { transactionTimeoutMs: 5_000 },
    log: { info: onWait },
    signal: new AbortController().signal,
  } as unknown as Cluster
}
