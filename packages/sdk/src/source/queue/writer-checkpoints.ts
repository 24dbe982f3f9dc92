import {
  type Checkpoint,
  checkpointKey,
  checkpointPartition,
  decodeCheckpoint,
  readCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

/** The newest checkpoint of the connector instance that publishes the input. */
export interface WriterCheckpoints {
  /** `undefined` before its first unit. */
  readonly newest: Checkpoint | undefined
  /** Waits at most `maxWaitMs` for a newer one. Resolves to whether one came. */
  wait(maxWaitMs: number): Promise<boolean>
}

/** Reads the newest checkpoint that was committed before the call, and follows later ones. */
export async function openWriterCheckpoints(
  queue: Queue,
  writerId: string,
  signal: AbortSignal,
): Promise<WriterCheckpoints> {
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  const key = Buffer.from(checkpointKey(writerId))
  const [description] = await queue.describe([place.topic])
  let offset = description!.partitions[place.partition]!.end
  let newest = await readCheckpoint(queue, writerId)

  return {
    get newest() {
      return newest
    },
    async wait(maxWaitMs) {
      const { batches, next } = await queue.read({ ...place, offset }, { maxBytes: 1024 * 1024, maxWaitMs, signal })
      offset = next
      const before = newest
      for (const batch of batches)
        for (const record of batch.records())
          if (record.key && record.value && key.equals(record.key)) newest = decodeCheckpoint(record.value)
      return newest !== before
    },
  }
}
