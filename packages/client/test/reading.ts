import type { Batch } from '@headrace/client'
import { seqsOf } from '../../server/test/clients/shapes.ts'

export function seqsIn(batches: readonly Pick<Batch<unknown>, 'records'>[]): number[] {
  return seqsOf(batches.flatMap(({ records }) => records))
}

/** Reads to the end. */
export async function all<Some>(reading: AsyncIterable<Some>): Promise<Some[]> {
  return takeUntil(reading, () => false)
}

/** Takes batches until they hold at least `records` records. */
export async function take<Some extends Batch<unknown>>(
  reading: AsyncIterable<Some>,
  records: number,
  onBatch: (batch: Some, count: number) => unknown = () => {},
): Promise<Some[]> {
  const taken: Some[] = []
  let count = 0
  for await (const batch of reading) {
    taken.push(batch)
    count += batch.records.length
    await onBatch(batch, count)
    if (count >= records) break
  }
  return taken
}

/** Takes batches until one matches. */
export async function takeUntil<Some>(
  reading: AsyncIterable<Some>,
  isLast: (batch: Some) => boolean,
  onBatch: (batch: Some) => unknown = () => {},
): Promise<Some[]> {
  const taken: Some[] = []
  for await (const batch of reading) {
    taken.push(batch)
    await onBatch(batch)
    if (isLast(batch)) break
  }
  return taken
}

/** The error that ends reading. */
export async function errorOf(reading: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of reading);
  } catch (error) {
    return error
  }
  throw new Error('It ended without an error.')
}
