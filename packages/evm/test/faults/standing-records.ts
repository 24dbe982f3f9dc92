import { hash } from 'node:crypto'
import { readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { expect } from 'vitest'

/** Key and digest of the value of a record. */
export function recordDigest(key: Uint8Array | string, value: Uint8Array): string {
  return `${Buffer.from(key).toString()} ${hash('sha1', value)}`
}

/** What is left of a topic. */
export interface StandingRecords {
  /** Digests of the records that stand, in order. */
  readonly digests: readonly string[]
  /** Records that were taken back. */
  readonly takenBack: number
}

/**
 * Reads a topic of one partition. Its seqs must have no holes, and each revert must take back the newest record that
 * stands.
 */
export async function standingRecords(queue: Queue, topic: string): Promise<StandingRecords> {
  const standing: { readonly seq: number; readonly digest: string }[] = []
  const [description] = await queue.describe([topic])
  const end = description!.partitions[0]!.end
  let nextSeq = 0
  let takenBack = 0
  for (let offset = 0n; offset < end; ) {
    const { batches, next } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 4 << 20 })
    for (const { key, value, headers } of batches.flatMap((batch) => [...batch.records()])) {
      const { seq, reverts } = readRecordHeaders(headers)
      if (seq !== nextSeq++) expect(seq, 'seq of a record').toBe(nextSeq - 1)
      const record = { seq: seq!, digest: recordDigest(key!, value!) }
      if (reverts === undefined) {
        standing.push(record)
        continue
      }
      expect(standing.pop(), 'what a revert takes back').toEqual({ ...record, seq: reverts })
      takenBack++
    }
    offset = next
  }
  return { digests: standing.map(({ digest }) => digest), takenBack }
}
