import { decodeCursor } from '@headrace/catalog'
import { openEvents } from '../clients/event-stream.ts'
import { connect } from '../clients/json-rpc-client.ts'
import type { PageJson, RecordJson } from '../clients/shapes.ts'

/** A client that keeps the canonical records, and fails if a record is missing, repeated or out of order. */
export interface CarefulReader {
  /** `<partition>:<seq>` of the canonical records. */
  readonly held: ReadonlySet<string>
  /** The cursor up to which it has read. */
  readonly cursor: string
  /** Applies canonical history, which holds no reverts. */
  takeHistory(page: PageJson): void
  /** Applies the log from the cursor of the history on. */
  take(record: RecordJson): void
  /** Next expected seq of each partition. */
  readonly next: readonly (number | null)[]
}

export function createCarefulReader(topic: string): CarefulReader {
  const held = new Set<string>()
  let next: (number | null)[] = []
  let head: string | undefined
  let cursor = ''
  const fail = (what: string, record: RecordJson) => new Error(`${what}: ${JSON.stringify(record)}, expected ${next}`)
  return {
    held,
    get cursor() {
      return cursor
    },
    get next() {
      return next
    },
    takeHistory({ data, headCursor, hasMore }) {
      for (const record of data) {
        const name = nameOf(record)
        if (record.op !== 'append' || held.has(name)) throw fail('A revert, or a repeated record', record)
        held.add(name)
      }
      head ??= headCursor
      if (hasMore) return
      cursor = head
      next = decodeCursor(head).topics[0]!.partitions.map(({ seq }) => seq)
    },
    take(record) {
      const { partition, seq, op, reverts } = record
      if (record.topic !== topic) throw fail('Another topic', record)
      // A head without a seq is the start of the partition.
      if (Number(seq) !== (next[partition] ?? 0)) throw fail('Not the next record', record)
      next[partition] = Number(seq) + 1
      cursor = record.cursor
      if (op === 'append') held.add(nameOf(record))
      else if (!held.delete(`${partition}:${reverts}`)) throw fail('A revert of a record that is not canonical', record)
    },
  }
}

function nameOf({ partition, seq }: RecordJson): string {
  return `${partition}:${seq}`
}

/** A stream that is read until `isEnough`, and then closed. */
export interface StreamReading {
  readonly url: string
  readonly key: string
  readonly topic: string
  readonly reader: CarefulReader
  readonly protocol: 'websocket' | 'sse'
  /** Called after each record. */
  isEnough(): boolean
}

export async function readStream(reading: StreamReading): Promise<void> {
  if (reading.isEnough()) return
  if (reading.protocol === 'sse') await readEvents(reading)
  else await readSocket(reading)
}

async function readEvents({ url, key, topic, reader, isEnough }: StreamReading): Promise<void> {
  using stream = await openEvents(`${url}/sse/v1?topics=${topic}&from=${reader.cursor}&api_key=${key}`)
  while (!isEnough()) for (const { data } of await stream.take<RecordJson>('message', 1)) reader.take(data)
}

async function readSocket({ url, key, topic, reader, isEnough }: StreamReading): Promise<void> {
  using client = await connect(`${url}/ws/v1?api_key=${key}`)
  const { error } = await client.call('subscribe', { topics: [topic], from: reader.cursor })
  if (error) throw new Error(JSON.stringify(error))
  for (let taken = 0; !isEnough(); taken++) reader.take((await client.notifications('subscription', taken + 1))[taken]!)
}
