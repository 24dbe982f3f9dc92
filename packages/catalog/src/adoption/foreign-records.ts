import type { Queue, QueueRecord, RecordBatch } from '@headrace/queue'
import { headerKeys } from '../record-header/record-header.ts'

/**
 * A queue without the headers of connectors in the records of foreign topics. A foreign program may use the same names
 * for something else, which would be read as a seq, as a revert or as an error.
 */
export function hideOwnHeaders(queue: Queue, isForeign: (topic: string) => boolean): Queue {
  return {
    ...queue,
    async read(at, limits) {
      const result = await queue.read(at, limits)
      return isForeign(at.topic) ? { ...result, batches: result.batches.map(hideIn) } : result
    },
    async *follow(positions, options) {
      for await (const batch of queue.follow(positions, options)) yield isForeign(batch.topic) ? hideIn(batch) : batch
    },
  }
}

function hideIn(batch: RecordBatch): RecordBatch {
  const { topic, partition, baseOffset, nextOffset, maxTime, byteLength } = batch
  return {
    ...{ topic, partition, baseOffset, nextOffset, maxTime, byteLength },
    *records(from) {
      for (const record of batch.records(from)) yield withoutOwn(record)
    },
  }
}

function withoutOwn(record: QueueRecord): QueueRecord {
  const { headers } = record
  if (!headers.some(isOwn)) return record
  return { ...record, headers: headers.filter((header) => !isOwn(header)) }
}

function isOwn({ key }: QueueRecord['headers'][number]): boolean {
  return ownKeys.has(key)
}

const ownKeys: ReadonlySet<string> = new Set(Object.values(headerKeys))
