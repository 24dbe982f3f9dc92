import type { Destination, SinkBatch } from './destination.ts'

/** Applies a batch, and flushes it if the destination holds it. */
export async function applyDurably(destination: Destination, batch: SinkBatch): Promise<void> {
  if ((await destination.apply(batch)) === 'held') await destination.holding!.flush(batch.topic)
}
