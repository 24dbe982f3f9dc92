import { createHash } from 'node:crypto'
import type { SinkRecord } from '../destination/destination.ts'

/** What one request sends. */
export interface Message {
  /** The same whenever the same records are sent. */
  readonly id: string
  readonly body: string
  readonly records: readonly SinkRecord[]
}

/** Characters of a body with several records. A record that is larger is sent alone. */
const longestBody = 1 << 20

/** @param records - Of one partition, in order. */
export function* messagesOf(records: readonly SinkRecord[], batch: number): Generator<Message, void, void> {
  let taken: SinkRecord[] = []
  let texts: string[] = []
  let length = 0
  for (const record of records) {
    // Its cursor has the places of other partitions too, so it differs between two runs.
    const { cursor: _, ...data } = record
    const text = JSON.stringify(data)
    if (taken.length === batch || (taken.length > 0 && length + text.length > longestBody)) {
      yield message(taken, texts, batch > 1)
      taken = []
      texts = []
      length = 0
    }
    taken.push(record)
    texts.push(text)
    length += text.length
  }
  if (taken.length > 0) yield message(taken, texts, batch > 1)
}

/** The body is that which Standard Webhooks recommends. */
function message(records: readonly SinkRecord[], texts: readonly string[], isList: boolean): Message {
  const { topic, time } = records.at(-1)!
  const data = isList ? `[${texts.join(',')}]` : texts[0]!
  return {
    id: idOf(records),
    body: `{"type":${JSON.stringify(topic)},"timestamp":${JSON.stringify(time)},"data":${data}}`,
    records,
  }
}

/**
 * Without ".", which separates the signed parts. The time distinguishes the records of a topic that was created again
 * under the same name.
 */
function idOf(records: readonly SinkRecord[]): string {
  const hash = createHash('sha256')
  for (const { topic, partition, seq, offset, time } of records)
    hash.update(`${topic}/${partition}/${seq ?? `offset ${offset}`}/${time}\n`)
  return `msg_${hash.digest('base64url').slice(0, idLength)}`
}

/** 162 bits. */
const idLength = 27
