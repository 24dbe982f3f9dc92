import { type NewRecord, type QueueRecord, UserError } from '@headrace/queue'
import { checkpointPartition } from '../checkpoint/checkpoint.ts'
import { systemTopics } from '../system-topics/system-topics.ts'

/**
 * A value in `_headrace.reorgs`: reverted seqs of a partition, from the first reverted record to the last revert
 * record. They may be nested, and their union is reverted.
 */
export interface Reorganisation {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
  readonly unit: number
}

/** A wider reorganisation with the same first seq replaces it. */
export function reorganisationRecord(writerId: string, interval: Reorganisation): NewRecord {
  const { topic, partition, first } = interval
  return {
    topic: systemTopics.reorgs,
    partition: checkpointPartition(writerId),
    key: Buffer.from(`${topic}/${partition}/${first}`),
    value: Buffer.from(JSON.stringify(interval)),
    time: Date.now(),
  }
}

/**
 * `undefined` for a tombstone.
 *
 * @throws {UserError} `invalid_reorganisation`
 */
export function readReorganisation({ value }: Pick<QueueRecord, 'value'>): Reorganisation | undefined {
  if (value === null) return undefined
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
  try {
    const { topic, partition, first, last, unit } = JSON.parse(text) as Record<string, unknown>
    if (typeof topic === 'string' && [partition, first, last, unit].every(Number.isSafeInteger)) {
      return { topic, partition, first, last, unit } as Reorganisation
    }
  } catch {}
  throw new UserError(
    'invalid_reorganisation',
    `A record of "${systemTopics.reorgs}" cannot be read: ${text.slice(0, 200)}. ` +
      'Another version of the connector runtime wrote it: use that version, or a newer one.',
  )
}
