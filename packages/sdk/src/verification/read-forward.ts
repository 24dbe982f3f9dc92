import { PositionLostError, type Queue, QueueUnavailableError, type RecordBatch } from '@headrace/queue'

const readBytes = 1 << 20
const longestWaitMs = 1000
/** A transaction may be open for 60 s, and its end take 15 s more. */
const patienceMs = 90_000

/** A stretch of a partition, up to an offset that open transactions may still hold back. */
export interface PartitionStretch {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly upTo: bigint
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Is told how many offsets more have been passed. */
  onRead?(offsets: number): void
  /** Is told that what is read next has been removed meanwhile: the batch that follows, if one does, is a later one. */
  onCut?(): void
}

/**
 * Reads the committed batches of a stretch in order, and waits for those that are being committed. What retention removes
 * meanwhile is left out, and told.
 *
 * @throws {QueueUnavailableError} the queue does not answer with what it holds.
 */
export async function* readForward(
  queue: Queue,
  { topic, partition, from, upTo }: PartitionStretch,
  { signal, onRead, onCut }: ReadOptions,
): AsyncGenerator<RecordBatch, void, undefined> {
  let answeredAt = performance.now()
  let maxWaitMs = 0
  for (let offset = from; offset < upTo; ) {
    const at = { topic, partition, offset }
    const { batches, next } = await queue
      .read(at, { maxBytes: readBytes, maxWaitMs, signal })
      .catch((error: unknown) => {
        if (!(error instanceof PositionLostError) || offset >= error.earliest) throw error
        onCut?.()
        return { batches: [], next: error.earliest }
      })
    yield* batches
    if (next > offset) answeredAt = performance.now()
    else if (performance.now() > answeredAt + patienceMs) throw silent(topic, partition, offset, upTo)
    maxWaitMs = next > offset ? 0 : longestWaitMs
    onRead?.(Number(next - offset))
    offset = next
  }
}

function silent(topic: string, partition: number, offset: bigint, upTo: bigint): QueueUnavailableError {
  return new QueueUnavailableError(
    `"${topic}" partition ${partition} reaches to offset ${upTo}, and for ${patienceMs / 1000} s nothing could be read ` +
      `from offset ${offset} on. Check the brokers.`,
  )
}
