import type { NextSeqs } from '@headrace/catalog'
import type { NumberedRecord, PartitionReader } from './partition-reader.ts'
import type { WriterCheckpoints } from './writer-checkpoints.ts'

/** One unit of the input, whole in all its topics. */
export interface InputUnit {
  /** By partition, in order there. Empty: only `final` has moved. */
  readonly records: readonly Pick<NumberedRecord, 'record' | 'headers'>[]
  /** Seqs before which nothing that stands will be taken back, by topic; `null` where that is not known yet. */
  readonly final: NextSeqs | null
}

const maxWaitMs = 10_000

/**
 * Yields the units that follow the places of the readers, each when it is whole.
 *
 * Records of one transaction may become visible in one partition before another. So what is there does not tell whether
 * a unit is whole, but the checkpoint committed with it does: it names the next seq of every partition. Up to there the
 * partitions are read, waiting for what is committed and not visible yet, and put together by unit number, which never
 * goes back within a partition. `skipThrough` and units before it are passed over.
 *
 * `final` is told when the final unit itself has been read, and at the end of what is there: what lies before it and is
 * read meanwhile may have been taken back before it became final.
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
    for (let unit = await nextUnit(bounded); unit !== undefined; unit = await nextUnit(bounded)) {
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
  /** The records before this seq are committed. */
  readonly bound: number
}

/** The lowest unit number of a record that is committed and not taken. */
async function nextUnit(readers: readonly BoundedReader[]): Promise<number | undefined> {
  let lowest: number | undefined
  for (const bounded of readers) {
    const unit = (await nextRecord(bounded))?.unit
    if (unit !== undefined && (lowest === undefined || unit < lowest)) lowest = unit
  }
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
