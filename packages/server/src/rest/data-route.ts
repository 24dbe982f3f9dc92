import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Admission, checkTopicAllowed } from '../access/admission.ts'
import type { History } from '../history/history.ts'
import { type RecordRange, readRecords } from '../history/page.ts'
import type { Limits } from '../operations/limits.ts'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import { admitRequest, route } from './app.ts'
import { createDataPages } from './data-pages.ts'
import { parseDataQuery } from './data-query.ts'
import { type DataRangeOptions, resolveRange } from './data-range.ts'
import type { Query } from './query.ts'

export interface DataRouteOptions extends DataRangeOptions {
  readonly topics: TopicDirectory
  readonly history: History
  readonly admission: Admission
  readonly limits: Limits
}

/** `GET /api/v1/data/<topic>`: history, in pages or as one stream of lines. */
export function addDataRoute(app: FastifyInstance, options: DataRouteOptions): void {
  const { topics, history, admission, limits } = options
  const pages = createDataPages(history, limits)
  route(app, '/api/v1/data/:topic', async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    const { topic: name } = request.params as { topic: string }
    checkTopicAllowed(key, name)
    const query = parseDataQuery(request.query as Query, limits)
    const range = await resolveRange(options, await topics.open(name), query)
    if (query.format === 'ndjson') return sendLines(reply, history, range)
    return reply.type('application/json; charset=utf-8').send(await pages.read(range, query.limit))
  })
}

function sendLines(reply: FastifyReply, history: History, range: RecordRange): FastifyReply {
  const { topic, order, from, to, asOf } = range
  const end = { partitions: order === 'asc' ? to : from, ...(asOf && { asOf }) }
  return reply
    .type('application/x-ndjson; charset=utf-8')
    .header('headrace-end-cursor', topic.cursorAt(end))
    .send(Readable.from(readLines(history, range), { objectMode: false }))
}

const newline = Buffer.from('\n')

async function* readLines(history: History, range: RecordRange): AsyncGenerator<Buffer> {
  for await (const records of readRecords(history, range))
    if (records.length > 0) yield Buffer.concat(records.flatMap(({ json }) => [json, newline]))
}
