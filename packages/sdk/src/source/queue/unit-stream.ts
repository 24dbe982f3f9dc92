import {
  type Checkpoint,
  checkpointKey,
  checkpointPartition,
  decodeCheckpoint,
  type NextSeqs,
  readCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { NumberedRecord, PartitionReader } from './partition-reader.ts'

export interface InputUnit {
  /** Partition by partition, in order. Empty: only `final` has moved. */
  readonly records: readonly Pick<NumberedRecord, 'record' | 'headers'>[]
  /** Seqs before which nothing canonical can be reverted; `null` where that is not known yet. */
  readonly final: NextSeqs | null
}

const maxWaitMs = 10_000

/**
 * Yields each unit when it is whole: partitions may show records of one transaction at different times, so they are
 * read up to the checkpoint committed with it. `final` is reported with the final unit, and at the end, because units
 * before may have been reverted.
 */
export async function* unitStream(
  readers: readonly PartitionReader[],
  checkpoints: WriterCheckpoints,
  { skipThrough, follow }: { readonly skipThrough: number; readonly follow: boolean },
): AsyncGenerator<InputUnit, void, undefined> {
  for (;;) {
    const { newest } = checkpoints
    const bounded = readers.map((reader) => ({
      reader,
      bound: newest?.nextSeq[reader.topic]?.[reader.partition] ?? 0,
    }))
    const final = newest?.final ?? null
    for (let unit = await nextUnit(bounded); unit < Number.POSITIVE_INFINITY; unit = await nextUnit(bounded)) {
      const records = await takeUnit(bounded, unit)
      if (unit > skipThrough) yield { records, final: final && unit >= final.unit ? final.nextSeq : null }
    }
    yield { records: [], final: final?.nextSeq ?? null }
    if (!follow) return
    while (!(await checkpoints.wait(maxWaitMs)));
  }
}

interface BoundedReader {
  readonly reader: PartitionReader
  readonly bound: number
}

/** Infinite where there is none. */
async function nextUnit(readers: readonly BoundedReader[]): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY
  for (const bounded of readers) lowest = Math.min(lowest, (await nextRecord(bounded))?.unit ?? lowest)
  return lowest
}

async function takeUnit(readers: readonly BoundedReader[], unit: number): Promise<NumberedRecord[]> {
  const records: NumberedRecord[] = []
  for (const bounded of readers) while ((await nextRecord(bounded))?.unit === unit) records.push(bounded.reader.take())
  return records
}

function nextRecord({
  reader,
  bound,
}: BoundedReader): NumberedRecord | undefined | Promise<NumberedRecord | undefined> {
  if (reader.place.seq! >= bound) return undefined
  return reader.peek() ?? reader.readNext().then(() => reader.peek())
}

export interface WriterCheckpoints {
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
