import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CursorTopic,
  decodeCursor,
  encodeCursor,
  hasReached,
  type ReaderPosition,
  type RecordHeaders,
  type RecordObject,
  type RecordRenderer,
  readRecordHeaders,
  type TopicFormat,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { ApiContext } from '../api-context.ts'
import { readPage } from '../history/page.ts'
import { type HistoryReader, loadRun } from '../history/run.ts'
import type { RenderedRecord } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import { dataEndpoint, parseDataQuery } from './data-endpoint.ts'
import { resolveRange } from './data-range.ts'
import type { Query } from './query.ts'

/** As `GET /api/v1/data/{topic}` answers. */
export interface LocalPage {
  readonly topic: string
  readonly data: readonly LocalRecord[]
  readonly nextCursor: string
  readonly hasMore: boolean
  /** Absent if the query has a cursor. */
  readonly headCursor?: string
}

/** A class, because few of its readers need a cursor, and encoding one takes as long as reading a record. */
class LocalRecord implements RecordObject {
  readonly topic: string
  readonly partition: number
  readonly seq: string | null
  readonly unit: string | null
  readonly offset: string
  readonly time: string
  readonly key: string | null
  readonly op: RecordObject['op']
  readonly reverts?: string
  readonly value: unknown
  readonly error?: NonNullable<RecordObject['error']>
  readonly raw?: string
  readonly #start: CursorTopic
  readonly #after: CursorTopic['partitions']

  /** @param start - Of its page. */
  constructor(record: RecordObject, start: CursorTopic, after: CursorTopic['partitions']) {
    this.topic = record.topic
    this.partition = record.partition
    this.seq = record.seq
    this.unit = record.unit
    this.offset = record.offset
    this.time = record.time
    this.key = record.key
    this.op = record.op
    if (record.reverts !== undefined) this.reverts = record.reverts
    this.value = record.value
    if (record.error !== undefined) this.error = record.error
    if (record.raw !== undefined) this.raw = record.raw
    this.#start = start
    this.#after = after
  }

  get cursor(): string {
    return encodeCursor({ topics: [{ ...this.#start, partitions: this.#after }] })
  }
}

/** `undefined`: request it over HTTP, whose answer also explains what is wrong. */
export type ReadLocalPage = (topic: string, query: Query) => Promise<LocalPage | undefined>

type LocalPagesOptions = Pick<ApiContext, 'queue' | 'topics' | 'heads' | 'canonicalViews' | 'history' | 'limits'>

const none = new Uint8Array()

/** Whether it is of a canonical view that has not been read to its end. */
function isBeforeHead(cursor: string): boolean {
  const { partitions, asOf } = decodeCursor(cursor).topics[0]!
  return asOf !== undefined && !hasReached(partitions, asOf)
}

interface KeptRecord extends RenderedRecord {
  readonly raw: QueueRecord
  readonly headers: RecordHeaders
}

/** Rendered when it is passed to the reader. */
function keep(raw: QueueRecord): KeptRecord {
  const { partition, offset, time, value } = raw
  const headers = readRecordHeaders(raw.headers)
  return { partition, offset, seq: headers.seq ?? null, time, cursorLength: 0, json: value ?? none, raw, headers }
}

/** In bytes of values. */
const runBytes = 2 << 20
/** In ms. Kafka takes three requests to describe a topic, and a reader of pages needs one for the records of ten pages. */
const describedMs = 250

/** Reads pages of whole records, oldest first, past HTTP, JSON and the caches of pages that are requested repeatedly. */
export function createLocalPages(options: LocalPagesOptions): ReadLocalPage {
  const { queue, topics, limits } = options
  const endpoint = dataEndpoint(limits)
  const renderers = new WeakMap<TopicFormat, RecordRenderer>()
  const opened = new Map<string, { readonly at: number; readonly topic: Promise<OpenTopic> }>()
  return (name, query) => read(name, query).catch(() => undefined)

  async function read(name: string, parameters: Query): Promise<LocalPage | undefined> {
    const query = parseDataQuery(parameters, endpoint)
    const { limit, order, format, continued } = query
    // Reading an embedded queue does not wait, and others need their turn.
    await nextTurn()
    const range = await resolveRange(options, await open(name, continued?.cursor), query)
    if (range.selection || order === 'desc' || format === 'ndjson') return undefined
    const { topic } = range
    const renderer = rendererOf(topic.format)
    const data: LocalRecord[] = []
    let start: CursorTopic | undefined
    const pass = (reader: ReaderPosition, record: RenderedRecord): RenderedRecord => {
      const { raw, headers } = record as KeptRecord
      start ??= reader.entry()
      reader.pass(record)
      data.push(new LocalRecord(renderer.read(raw, headers), start, [...reader.places]))
      return record
    }
    const { pageBytes: maxBytes, examinedRecords: maxExamined } = limits
    const history = { ...options.history, after: readingAhead(limit / topic.partitions) }
    const page = await readPage(history, {
      ...range,
      topic: { ...topic, render: keep },
      limit,
      maxBytes,
      maxExamined,
      pass,
    })
    const { nextCursor, hasMore } = page
    return { topic: name, data, nextCursor, hasMore, ...(!continued && { headCursor: topic.cursorAt(range.head) }) }
  }

  /** What has come since the head of a canonical view is in none of its pages. */
  function open(name: string, cursor: string | undefined): Promise<OpenTopic> {
    const known = opened.get(name)
    const isRecent = known && performance.now() - known.at < describedMs
    if (isRecent && cursor !== undefined && isBeforeHead(cursor)) return known.topic
    const topic = topics.open(name)
    opened.set(name, { at: performance.now(), topic })
    topic.catch(() => opened.delete(name))
    return topic
  }

  function readingAhead(records: number): HistoryReader['after'] {
    const window = BigInt(Math.ceil(records))
    return (topic, { partition, from, to }) => {
      const end = from + window
      return loadRun(queue, topic, { partition, from, to: end < to ? end : to }, runBytes)
    }
  }

  function rendererOf(format: TopicFormat): RecordRenderer {
    const renderer = renderers.get(format) ?? format.createRenderer()
    renderers.set(format, renderer)
    return renderer
  }
}
