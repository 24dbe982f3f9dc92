import { hash } from 'node:crypto'
import { readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { expect } from 'vitest'

/** Key and digest of the value of a record. */
export function recordDigest(key: Uint8Array | string, value: Uint8Array): string {
  return `${Buffer.from(key).toString()} ${hash('sha1', value)}`
}

export interface CanonicalRecords {
  /** In order. */
  readonly digests: readonly string[]
  /** Number of reverted records. */
  readonly reverted: number
}

/**
 * Reads a topic of one partition. Its seqs must have no gaps, and each revert must be of the newest canonical
 * record.
 */
export async function canonicalRecords(queue: Queue, topic: string): Promise<CanonicalRecords> {
  const canonical: { readonly seq: number; readonly digest: string }[] = []
  const [description] = await queue.describe([topic])
  const end = description!.partitions[0]!.end
  let nextSeq = 0
  let reverted = 0
  for (let offset = 0n; offset < end; ) {
    const { batches, next } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 4 << 20 })
    for (const { key, value, headers } of batches.flatMap((batch) => [...batch.records()])) {
      const { seq, reverts } = readRecordHeaders(headers)
      if (seq !== nextSeq++) expect(seq, 'seq of a record').toBe(nextSeq - 1)
      const record = { seq: seq!, digest: recordDigest(key!, value!) }
      if (reverts === undefined) {
        canonical.push(record)
        continue
      }
      expect(canonical.pop(), 'the reverted record').toEqual({ ...record, seq: reverts })
      reverted++
    }
    offset = next
  }
  return { digests: canonical.map(({ digest }) => digest), reverted }
}
