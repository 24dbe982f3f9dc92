import { DamagedStorageError } from '../../errors.ts'
import { batchKey, createBatchRows, endKey, highestPartitionId, partitionOfKey } from '../storage/batch-rows.ts'
import type { Storage } from '../storage/storage.ts'
import { createTopicRows, type PartitionRow } from '../storage/topic-rows.ts'
import { attempt, readableIds } from './damaged-pages.ts'

/** `earliest` is unknown if the row was derived from those around it. */
export type KnownPartition = Pick<PartitionRow, 'id' | 'topic' | 'number'> & { readonly earliest: number | undefined }

/**
 * In order of id. The partitions of a topic are created together, so a damaged row is derived from those around it, with
 * which it must agree in one column. A missing row is derived unless it may be the last one, whose topic may be missing.
 *
 * @throws {DamagedStorageError} the rows of `topics` are damaged, or the topic of a partition is not certain.
 */
export function knownPartitions(damaged: Storage): KnownPartition[] {
  const rows = createTopicRows(damaged)
  const topics = rows.topics().length
  // In a damaged page, an id may be any number.
  const stored = rows.storedPartitions().filter(({ row }) => row.id >= 1 && row.id <= highestPartitionId)
  const last = lastStoredPartition(damaged, stored.at(-1)?.row.id ?? 0)
  const end = { id: last + 1, topic: topics + 1, number: 0 }
  const byId = new Map(stored.map((one) => [one.row.id, one]))
  const known: KnownPartition[] = []
  for (let id = 1; id <= last; id++) {
    const { row, isIntact } = byId.get(id) ?? {}
    const next = isIntact ? row! : (stored.find((one) => one.isIntact && one.row.id > id)?.row ?? end)
    const before = known.at(-1) ?? noRow
    const derived = rowBetween(before, next, next.id - id)
    const isCertain = row
      ? row.topic === derived?.topic || row.number === derived?.number
      : next !== end || derived?.topic !== before.topic
    if (derived === undefined || !isCertain) {
      throw new DamagedStorageError(damaged.file, `it is not certain to which topic partition ${id} belongs`)
    }
    known.push({ id, ...derived, earliest: isIntact ? row!.earliest : undefined })
  }
  if (known.at(-1)?.topic !== (topics || undefined))
    throw new DamagedStorageError(damaged.file, 'rows of topics are missing')
  return known
}

type Numbered = Pick<PartitionRow, 'topic' | 'number'>

function rowBetween(before: Numbered, after: Numbered, places: number): Numbered | undefined {
  if (after.number >= places) return { topic: after.topic, number: after.number - places }
  const topicsBetween = after.topic - 1 - before.topic
  if (topicsBetween === 0) return { topic: before.topic, number: before.number + 1 }
  // Each of these topics has one partition.
  if (topicsBetween === places - after.number) return { topic: before.topic + 1, number: 0 }
  return undefined
}

const noRow = { topic: 0, number: -1 }

/** The highest partition id in `batches`, where each partition has at least the row of its end. */
export function lastStoredPartition(storage: Storage, from: number): number {
  const rows = createBatchRows(storage)
  for (const key of readableIds(storage.database, 'batches', { after: endKey(from) })) {
    const id = partitionOfKey(key)
    const partition = { id, topic: '', partition: 0, cleanup: 'delete' } as const
    const offset = Number(key - batchKey(id, 0))
    const isEnd = key === endKey(id)
    const row = attempt(() => (isEnd ? rows.readEnd(partition) : rows.atOrBefore(partition, offset))).value
    if (row !== undefined) return lastStoredPartition(storage, id)
  }
  return from
}
