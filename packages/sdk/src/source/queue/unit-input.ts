import type { NextSeqs } from '@headrace/catalog'
import type { OpenedInput, OpenInputOptions } from './open-input.ts'
import { createPartitionReader, type PartitionReader } from './partition-reader.ts'
import { startPlaces } from './start-places.ts'
import { unitStream } from './unit-stream.ts'
import type { WriterCheckpoints } from './writer-checkpoints.ts'

/** Begins to read the units of one connector instance. `startSeqs` is where `from: 'latest'` begins. */
export async function openUnitInput(
  options: OpenInputOptions,
  { checkpoints, startSeqs }: { readonly checkpoints: WriterCheckpoints; readonly startSeqs: NextSeqs },
): Promise<OpenedInput> {
  const { queue, topics, signal, from, follow } = options
  const readers = startPlaces(options).map((at) => createPartitionReader({ queue, signal, ...at }))
  const unplaced = readers.filter(({ place }) => place.seq === null)
  let skipThrough = 0
  if (from === 'latest') for (const reader of unplaced) reader.startAt(seqOf(reader, startSeqs))
  else skipThrough = await startAtWholeUnit(unplaced, checkpoints)
  return {
    units: unitStream(readers, checkpoints, { skipThrough, follow }),
    revertible: true,
    places: () =>
      topics.map(({ description: { id, name } }) => ({
        id,
        topic: name,
        partitions: readers.filter(({ topic }) => topic === name).map(({ place }) => place),
      })),
  }
}

/**
 * Sets readers that stand at the earliest records to the first unit that is known to be whole. Where retention has
 * removed records, the unit of the first one that is left may have lost some. Returns the number of the last such unit.
 */
async function startAtWholeUnit(readers: readonly PartitionReader[], checkpoints: WriterCheckpoints): Promise<number> {
  const { unit, nextSeq } = checkpoints.newest ?? { unit: 0, nextSeq: {} }
  let cut = 0
  for (const reader of readers) {
    await reader.look()
    const first = reader.peek()
    const nothingRemoved = first ? first.seq === 0 : reader.place.offset === 0n
    if (!nothingRemoved) cut = Math.max(cut, first?.unit ?? unit)
    reader.startAt(first?.seq ?? (nothingRemoved ? 0 : seqOf(reader, nextSeq)))
  }
  return cut
}

function seqOf({ topic, partition }: PartitionReader, seqs: NextSeqs): number {
  return seqs[topic]?.[partition] ?? 0
}
