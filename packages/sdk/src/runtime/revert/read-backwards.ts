import type { Queue, QueueRecord } from '@headrace/queue'

/** Offsets in the first window. */
const firstWindow = 256n
const widestWindow = 8192n
/** A window whose records hold more bytes is followed by a narrower one. */
const wideBytes = 2 * 1024 * 1024

/** Reads the records of a partition from its end back to its earliest, window by window, each newest first. */
export async function* readBackwards(
  queue: Queue,
  { topic, partition }: { readonly topic: string; readonly partition: number },
): AsyncGenerator<readonly QueueRecord[], void, undefined> {
  const [description] = await queue.describe([topic])
  const bounds = description?.partitions[partition]
  if (!bounds) return
  let window = firstWindow
  for (let upTo = bounds.end; upTo > bounds.earliest; ) {
    const from = upTo - window > bounds.earliest ? upTo - window : bounds.earliest
    const { records, bytes } = await readWindow(queue, { topic, partition, from, upTo })
    yield records.reverse()
    upTo = from
    window = bytes > wideBytes ? window / 2n || 1n : window * 2n > widestWindow ? widestWindow : window * 2n
  }
}

async function readWindow(
  queue: Queue,
  place: { readonly topic: string; readonly partition: number; readonly from: bigint; readonly upTo: bigint },
): Promise<{ records: QueueRecord[]; bytes: number }> {
  const { topic, partition, from, upTo } = place
  const records: QueueRecord[] = []
  let bytes = 0
  for (let offset = from; offset < upTo; ) {
    const { batches, next } = await queue.read({ topic, partition, offset }, { maxBytes: wideBytes })
    for (const batch of batches) {
      for (const record of batch.records()) {
        if (record.offset >= upTo) break
        records.push(record)
        bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      }
    }
    if (next <= offset) break
    offset = next
  }
  return { records, bytes }
}
