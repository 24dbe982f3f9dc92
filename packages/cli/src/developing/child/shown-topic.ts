import { createReaderPosition, createRecordRenderer, type TopicRegistration } from '@headrace/catalog'
import type { Queue, QueueRecord, TopicDescription } from '@headrace/queue'
import { describeRecord, encodeRecords } from '../../reading/record-format.ts'

export interface ShownTopic {
  /** Number of records read in this window. */
  readonly shown: number
  readNext(most: number): Promise<QueueRecord[]>
  format(records: readonly QueueRecord[]): string
  /** If the last window was full, skips the records that are in the topic. */
  beginWindow(full: number): Promise<void>
}

/** Shows records from the end of `start`, an earlier description, or else from the earliest one. */
export function openShownTopic(
  registration: TopicRegistration,
  now: TopicDescription,
  start: TopicDescription | undefined,
  { queue, json, width }: { readonly queue: Queue; readonly json: boolean; readonly width: number },
): ShownTopic {
  const { name, id } = now
  const renderer = createRecordRenderer(registration)
  const partitions = now.partitions.map(({ earliest }, partition) => {
    const end = start?.partitions[partition]?.end
    return { offset: end === undefined || end < earliest ? earliest : end, seq: null }
  })
  const next = partitions.map(({ offset }) => offset)
  const position = createReaderPosition(now, { partitions })
  const shortName = name.slice(name.lastIndexOf('.') + 1)
  let shown = 0

  return {
    get shown() {
      return shown
    },
    async readNext(most) {
      const found: QueueRecord[] = []
      for (const partition of next.keys()) {
        while (found.length < most) {
          const place = { topic: name, topicId: id, partition, offset: next[partition]! }
          const read = await queue.read(place, { maxBytes: readBytes })
          const records = read.batches.flatMap((batch) => [...batch.records()]).slice(0, most - found.length)
          found.push(...records)
          next[partition] = found.length < most ? read.next : records.at(-1)!.offset + 1n
          if (read.next === read.end) break
        }
      }
      shown += found.length
      return found
    },
    format(records) {
      if (json) return Buffer.from(encodeRecords(renderer, records, position)).toString()
      return records
        .map((record) => `${shorten(`${shortName}  ${describeRecord(renderer, record)}`, width)}\n`)
        .join('')
    },
    async beginWindow(full) {
      const isFull = shown === full
      shown = 0
      if (!isFull) return
      const [described] = await queue.describe([name])
      for (const [partition, { end }] of described?.partitions.entries() ?? []) {
        next[partition] = end
        position.move(partition, { offset: end, seq: null })
      }
    },
  }
}

function shorten(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`
}

const readBytes = 64 << 10
