import { Readable } from 'node:stream'
import { type Position, resolvePosition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Admission, checkTopicAllowed } from '../access/admission.ts'
import type { History } from '../history/history.ts'
import { type Page, type PageRequest, readPage } from '../history/page.ts'
import { readRange } from '../history/range.ts'
import type { Limits } from '../operations/limits.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import { admitRequest, route } from './app.ts'
import { type DataQuery, parseDataQuery } from './data-query.ts'
import type { Query } from './query.ts'

export interface DataRouteOptions {
  readonly queue: Queue
  readonly topics: TopicDirectory
  readonly history: History
  readonly admission: Admission
  readonly limits: Limits
}

/** `GET /api/v1/data/<topic>`: history, in pages or as one stream of lines. */
export function addDataRoute(app: FastifyInstance, options: DataRouteOptions): void {
  const { queue, topics, history, admission, limits } = options
  route(app, '/api/v1/data/:topic', async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    const { topic: name } = request.params as { topic: string }
    checkTopicAllowed(key, name)
    const query = parseDataQuery(request.query as Query, limits)
    const open = await topics.open(name)
    const range = await resolveRange(queue, open, query)
    const { topic } = open
    if (query.format === 'ndjson') return sendLines(reply, history, { topic, order: query.order, ...range })
    const wanted: PageRequest = { topic, order: query.order, limit: query.limit, maxBytes: limits.pageBytes, ...range }
    const page = await readPage(history, wanted)
    return reply.type('application/json; charset=utf-8').send(assemble(topic, page, headOf(page, wanted, range.head)))
  })
}

interface Range {
  readonly from: Place
  readonly to: Place
  /** The end of the topic when the request came. */
  readonly head: Place
}

async function resolveRange(queue: Queue, { topic, description }: OpenTopic, query: DataQuery): Promise<Range> {
  const { lineage, instance } = topic.registration
  const resolve = async (position: Position) => {
    const { partitions } = await resolvePosition(queue, description, position, { writerId: `${lineage}/${instance}` })
    return partitions[0]!
  }
  const [from, to] = await Promise.all([resolve(query.from), resolve(query.to)])
  const end: Place = { offset: description.partitions[0]!.end, seq: null }
  // A cursor may be newer than the description.
  const head = [from, to].reduce((last, place) => (place.offset > last.offset ? place : last), end)
  return { from, to, head }
}

/** The end of the topic, with the seq that comes next where this page tells it. */
function headOf(page: Page, { order, to }: PageRequest, head: Place): Place {
  if (to.offset < head.offset) return head
  if (order === 'asc') return page.hasMore ? head : page.next
  const newest = page.records[0]
  return newest && newest.seq !== null ? { offset: head.offset, seq: newest.seq + 1 } : head
}

const comma = Buffer.from(',')

/** The answer, from bytes that are there already. */
function assemble(topic: ServedTopic, page: Page, head: Place): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`{"topic":"${topic.name}","data":[`)]
  for (const { json } of page.records) {
    if (parts.length > 1) parts.push(comma)
    parts.push(json)
  }
  const next = topic.cursorAt(page.next)
  parts.push(Buffer.from(`],"nextCursor":"${next}","headCursor":"${topic.cursorAt(head)}","hasMore":${page.hasMore}}`))
  return Buffer.concat(parts)
}

function sendLines(
  reply: FastifyReply,
  history: History,
  range: { topic: ServedTopic; from: Place; to: Place; order: 'asc' | 'desc' },
): FastifyReply {
  const end = range.order === 'asc' ? range.to : range.from
  return reply
    .type('application/x-ndjson; charset=utf-8')
    .header('headrace-end-cursor', range.topic.cursorAt(end))
    .send(Readable.from(readLines(history, range), { objectMode: false }))
}

const newline = Buffer.from('\n')

async function* readLines(
  history: History,
  range: { topic: ServedTopic; from: Place; to: Place; order: 'asc' | 'desc' },
): AsyncGenerator<Buffer> {
  for await (const { records } of readRange(history, range)) {
    const ordered = range.order === 'asc' ? records : records.toReversed()
    if (ordered.length > 0) yield Buffer.concat(ordered.flatMap(({ json }) => [json, newline]))
  }
}
