import { encodeAt } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

/** Appends records with these seqs, like a manual repair of a topic. */
export async function appendRecords(queue: Queue, topic: string, seqs: readonly number[]): Promise<void> {
  const headersOf = (seq: number) => [{ key: 'at', value: encodeAt(seq + 1, seq) }]
  const place = { topic, key: null, value: Buffer.alloc(0) }
  await queue.append(seqs.map((seq) => ({ ...place, headers: headersOf(seq), time: seq * 1000 })))
}
