import { PositionLostError, type Queue, type QueueRecord, QueueUnavailableError } from '@headrace/queue'

/** Offsets in the first window. */
const firstWindow = 256n
const widestWindow = 8192n
/** A window whose records hold more bytes is followed by a narrower one. */
const wideBytes = 2 * 1024 * 1024
/** How long what is known to be committed may not be answered, in ms. */
const patienceMs = 45_000
const longestWaitMs = 1000

/**
 * Reads the records of a partition from its end back to its earliest, window by window, each newest first.
 *
 * @throws {QueueUnavailableError} the queue does not answer with what it holds.
 */
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

interface Window {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly upTo: bigint
}

async function readWindow(queue: Queue, window: Window): Promise<{ records: QueueRecord[]; bytes: number }> {
  const { upTo } = window
  const records: QueueRecord[] = []
  let bytes = 0
  for (let offset = window.from; offset < upTo; ) {
    const { batches, next } = await readOn(queue, window, offset)
    for (const batch of batches) {
      for (const record of batch.records()) {
        if (record.offset >= upTo) break
        records.push(record)
        bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      }
    }
    offset = next
  }
  return { records, bytes }
}

/**
 * Reads on within a window, all of which is committed. A broker that holds its clients back, or has just taken over,
 * answers with nothing: what is not read then would be missing for good.
 */
async function readOn(
  queue: Queue,
  { topic, partition, upTo }: Window,
  offset: bigint,
): Promise<Pick<Awaited<ReturnType<Queue['read']>>, 'batches' | 'next'>> {
  const at = { topic, partition, offset }
  const deadline = performance.now() + patienceMs
  try {
    for (let maxWaitMs = 0; performance.now() < deadline; maxWaitMs = longestWaitMs) {
      const answer = await queue.read(at, { maxBytes: wideBytes, maxWaitMs })
      if (answer.next > offset) return answer
    }
  } catch (error) {
    // Retention has come up to here meanwhile. It leaves what is still needed.
    if (error instanceof PositionLostError && offset < error.earliest) return { batches: [], next: error.earliest }
    throw error
  }
  throw new QueueUnavailableError(
    `"${topic}" partition ${partition} ends at offset ${upTo}, and for ${patienceMs / 1000} s nothing could be read ` +
      `from offset ${offset} on. Check the brokers.`,
  )
}
