import { afterEach, describe, expect, it, vi } from 'vitest'
import { QueueUnavailableError } from '../../errors.ts'
import type { Cluster } from '../connection/cluster.ts'
import { stableEnd } from './latest.ts'

const place = { topic: 't', partition: 3 }

afterEach(() => vi.restoreAllMocks())

describe('the stable end', () => {
  it('is the high watermark at the start, once the last stable offset has passed it', async () => {
    const cluster = clusterWith({ highWatermarks: [10n, 99n], lastStable: [7n, 9n, 12n] })
    expect(await stableEnd(cluster, place)).toBe(10n)
  })

  it('is waited for at most the transaction timeout and 15 s, with a log line and an error that names the partition', async () => {
    const waits: object[] = []
    const cluster = clusterWith({ highWatermarks: [10n], lastStable: [7n], onWait: (fields) => waits.push(fields) })
    let now = 0
    // In real time, 2 + 4 + … + 256 ms pass.
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20_001 / 9
      return now
    })
    const waiting = stableEnd(cluster, place)
    await expect(waiting).rejects.toThrow(QueueUnavailableError)
    await expect(waiting).rejects.toThrow('"t" partition 3 could be read only up to offset 7 of 10')
    await expect(waiting).rejects.toThrow('20 s')
    expect(waits).toEqual([{ ...place, stable: 7n, end: 10n, limitMs: 20_000 }])
  })
})

interface Answers {
  /** Each is answered once. The last one is repeated. */
  readonly highWatermarks: bigint[]
  readonly lastStable: bigint[]
  onWait?(fields: object): void
}

/** A cluster whose leader answers ListOffsets. */
function clusterWith({ highWatermarks, lastStable, onWait = () => {} }: Answers): Cluster {
  const request = async (_request: unknown, _replica: number, isolation: number) => {
    const offsets = isolation === 1 ? lastStable : highWatermarks
    const offset = offsets.length > 1 ? offsets.shift() : offsets[0]
    return { topics: [{ name: place.topic, partitions: [{ partitionIndex: place.partition, errorCode: 0, offset }] }] }
  }
  return {
    settings: { transactionTimeoutMs: 5_000 },
    log: { info: onWait },
    signal: new AbortController().signal,
    retry: (_what: string, action: () => unknown) => action(),
    metadata: { leader: async () => ({ node: 1, epoch: 0 }), address: () => 'broker' },
    connections: { to: async () => ({ request }) },
  } as unknown as Cluster
}
