import {
  type Cursor,
  type CursorTopic,
  decodeCursor,
  type NextSeqs,
  type PartitionPlace,
  readRecordHeaders,
} from '@headrace/catalog'
import { type PartitionOffset, type Queue, type QueueRecord, type RecordBatch, readRange } from '@headrace/queue'
import { inputChanged, inputError, inputLost, invalidInput } from './input-errors.ts'
import type { OpenedTopic } from './open-topics.ts'
import { createPartitionReader, type PartitionReader, type PartitionStart } from './partition-reader.ts'
import type { QueueCheckpoint } from './queue-input.ts'
import { type InputUnit, openWriterCheckpoints, unitStream, type WriterCheckpoints } from './unit-stream.ts'

export interface OpenedInput {
  readonly units: AsyncIterable<InputUnit>
  readonly revertible: boolean
  places(): CursorTopic[]
}

export interface OpenInputOptions {
  readonly queue: Queue
  readonly topics: readonly OpenedTopic[]
  readonly checkpoint: QueueCheckpoint | undefined
  readonly from: 'earliest' | 'latest'
  readonly follow: boolean
  readonly signal: AbortSignal
}

/**
 * Opens an input by units, or record by record without `at` headers. It waits until the topics hold a record or their
 * writer has a checkpoint.
 *
 * @throws {UserError} `invalid_input`: the topics have units of several connector instances.
 */
export async function openInput(options: OpenInputOptions): Promise<OpenedInput> {
  const { queue, topics, follow, signal } = options
  const writerId = writerOf(topics)
  if (writerId === undefined) {
    for (const topic of topics) if (await beginsWithUnit(options, [topic])) throw severalWriters(topics)
    return openRecordInput(options)
  }
  const checkpoints = await openWriterCheckpoints(queue, writerId, signal)
  const startSeqs = checkpoints.newest?.nextSeq ?? {}
  while (!checkpoints.newest) {
    const kind = await beginsWithUnit(options, topics)
    if (kind === false) return openRecordInput(options)
    if (kind === undefined && !follow) break
    await checkpoints.wait(pollMs)
  }
  return openUnitInput(options, { checkpoints, startSeqs })
}

const pollMs = 500

function writerOf(topics: readonly OpenedTopic[]): string | undefined {
  const ids = new Set(topics.map(({ registration: found }) => found && `${found.lineage}/${found.instance}`))
  return ids.size === 1 ? [...ids][0] : undefined
}

async function beginsWithUnit(
  { queue, signal }: OpenInputOptions,
  topics: readonly OpenedTopic[],
): Promise<boolean | undefined> {
  const descriptions = await queue.describe(topics.map(({ description }) => description.name))
  for (const { name, partitions } of descriptions) {
    for (const [partition, { earliest: offset }] of partitions.entries()) {
      const { batches } = await queue.read({ topic: name, partition, offset }, { maxBytes: 1, signal })
      for (const batch of batches)
        for (const record of batch.records()) return readRecordHeaders(record.headers).unit !== undefined
    }
  }
  return undefined
}

function severalWriters(topics: readonly OpenedTopic[]): Error {
  const names = topics.map(({ description }) => description.name).join(', ')
  return invalidInput(
    `The input topics ${names} belong to several connector instances, and a unit is whole only within one. ` +
      'Read the topics of one instance, and the others with another connector.',
  )
}

function openRecordInput(options: OpenInputOptions): OpenedInput {
  const { queue, topics, follow, signal } = options
  const starts = startPlaces(options)
  const offsets = new Map(topics.map(({ description: { name } }) => [name, [] as bigint[]]))
  for (const { topic, partition, place } of starts) offsets.get(topic)![partition] = place.offset
  const positions = starts.map(({ place: { offset }, ...at }) => ({ ...at, offset }))

  async function* units(): AsyncGenerator<InputUnit, void, undefined> {
    try {
      for await (const batch of follow ? queue.follow(positions, { signal }) : readToEnd(options, positions)) {
        for (const record of batch.records()) {
          const headers = readRecordHeaders(record.headers)
          if (headers.unit !== undefined) throw partOfUnit(record)
          offsets.get(record.topic)![record.partition] = record.offset + 1n
          yield { records: [{ record, headers }], final: null }
        }
      }
    } catch (error) {
      throw inputError(error)
    }
  }

  return {
    units: units(),
    revertible: false,
    places: () => placesOf(topics, (name) => offsets.get(name)!.map((offset) => ({ offset, seq: null }))),
  }
}

function partOfUnit({ topic, partition, offset }: QueueRecord): Error {
  return invalidInput(
    `The record at offset ${offset} of "${topic}" partition ${partition} is part of a unit, but the input is read record ` +
      'by record. Read the topics of one connector instance, and others with another connector.',
  )
}

async function* readToEnd(
  { queue, topics, signal }: OpenInputOptions,
  positions: readonly PartitionOffset[],
): AsyncGenerator<RecordBatch, void, undefined> {
  for (const { offset: from, ...place } of positions) {
    const { description } = topics.find((topic) => topic.description.name === place.topic)!
    const to = description.partitions[place.partition]!.end
    yield* readRange(queue, { ...place, from, to }, { signal })
  }
}

async function openUnitInput(
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
    places: () => placesOf(topics, (name) => readers.filter(({ topic }) => topic === name).map(({ place }) => place)),
  }
}

function placesOf(
  topics: readonly OpenedTopic[],
  partitionsOf: (topic: string) => readonly PartitionPlace[],
): CursorTopic[] {
  return topics.map(({ description: { id, name } }) => ({ id, topic: name, partitions: partitionsOf(name) }))
}

/**
 * Moves readers to the first whole unit: retention may have removed a part of the first one. Returns the number of the
 * last unit that is not whole.
 */
async function startAtWholeUnit(readers: readonly PartitionReader[], checkpoints: WriterCheckpoints): Promise<number> {
  const { unit, nextSeq } = checkpoints.newest ?? { unit: 0, nextSeq: {} }
  let cut = 0
  for (const reader of readers) {
    await reader.readAvailable()
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

function startPlaces({ topics, checkpoint, from }: OpenInputOptions): PartitionStart[] {
  const cursor = checkpoint === undefined ? undefined : checkedCursor(checkpoint, topics)
  return topics.flatMap(({ description: { name, id, partitions } }) => {
    const known = cursor?.topics.find(({ topic }) => topic === name)?.partitions
    return partitions.map(({ earliest, end }, partition) => ({
      topic: name,
      topicId: id,
      partition,
      place: known?.[partition] ?? { offset: !cursor && from === 'latest' ? end : earliest, seq: null },
    }))
  })
}

function checkedCursor(checkpoint: QueueCheckpoint, topics: readonly OpenedTopic[]): Cursor {
  const cursor = decodeCursor(checkpoint)
  const before = cursor.topics.map(({ topic }) => topic).sort()
  const now = topics.map(({ description }) => description.name).sort()
  if (before.join() !== now.join()) throw inputChanged(before, now)
  for (const { topic, id } of cursor.topics) {
    const { description } = topics.find((one) => one.description.name === topic)!
    if (description.id !== id) throw inputLost(topic, 'the topic was deleted and created again')
  }
  return cursor
}
