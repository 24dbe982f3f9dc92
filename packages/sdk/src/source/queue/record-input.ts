import { readRecordHeaders } from '@headrace/catalog'
import { type PartitionOffset, type QueueRecord, type RecordBatch, readRange } from '@headrace/queue'
import { inputError, invalidInput } from './input-errors.ts'
import type { OpenedInput, OpenInputOptions } from './open-input.ts'
import { startPlaces } from './start-places.ts'
import type { InputUnit } from './unit-stream.ts'

/** Begins to read topics without `at` headers: each record is a unit, in order within a partition. */
export function openRecordInput(options: OpenInputOptions): OpenedInput {
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
    places: () =>
      topics.map(({ description: { id, name } }) => ({
        id,
        topic: name,
        partitions: offsets.get(name)!.map((offset) => ({ offset, seq: null })),
      })),
  }
}

function partOfUnit({ topic, partition, offset }: QueueRecord): Error {
  return invalidInput(
    `The record at offset ${offset} of "${topic}" partition ${partition} is part of a unit, and the input is read record ` +
      'by record. Read the topics of one connector instance, and others with a connector of their own.',
  )
}

/** Reads what was there when the topics were opened, partition by partition. */
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
