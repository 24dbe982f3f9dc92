import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { checkTopicAllowed } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { watchStall } from '../connection/watch-stall.ts'
import type { History } from '../history/history.ts'
import { type RecordRange, readRecords } from '../history/page.ts'
import { route } from './app.ts'
import { dataEndpoint, parseDataQuery } from './data-endpoint.ts'
import { createDataPages } from './data-pages.ts'
import { resolveRange } from './data-range.ts'
import { createUnsentPages } from './unsent-pages.ts'

export function addDataRoute(app: FastifyInstance, options: ApiContext): void {
  const { topics, history, limits, usage, log } = options
  const pages = createDataPages(options)
  const addUnsent = createUnsentPages(limits.unsentPageBytes)
  const endpoint = dataEndpoint(limits)
  route(app, endpoint, async (request, reply, grant) => {
    const { key } = grant
    const { topic: name } = request.params
    checkTopicAllowed(grant, name)
    const query = { ...parseDataQuery(request.query, endpoint), permitted: grant.filter }
    if (query.format === 'ndjson') {
      const range = await resolveRange(options, await topics.open(name), query)
      destroyWhenStalled(request.raw.socket, reply.raw, limits.stallMs)
      const lines = readLines(history, range, (records) => usage.countRecords(key.id, records))
      return sendLines(reply, lines, range, log)
    }
    const { body, records } = await pages.read(name, query)
    destroyWhenStalled(request.raw.socket, reply.raw, limits.stallMs)
    if (request.method !== 'HEAD') {
      addUnsent(body, reply.raw, key.id)
      usage.countRecords(key.id, records)
    }
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

/** The response of a client that reads nothing occupies memory. */
function destroyWhenStalled(socket: Socket, response: ServerResponse, stallMs: number): void {
  const stop = watchStall(socket, stallMs, (isStalled) => {
    if (isStalled) socket.destroy()
  })
  response.once('close', stop)
}

function sendLines(reply: FastifyReply, lines: AsyncGenerator<Buffer>, range: RecordRange, log: Logger): FastifyReply {
  const { topic, order, from, to, asOf } = range
  const end = { partitions: order === 'asc' ? to : from, ...(asOf && { asOf }) }
  // For HEAD, fastify would read all lines and discard them.
  const sent = Readable.from(reply.request.method === 'HEAD' ? [] : lines, { objectMode: false })
  sent.on('error', (error) => {
    // An earlier error is sent to the client.
    if (reply.raw.headersSent) log.error({ requestId: reply.request.id, err: error }, 'lines cut short')
  })
  return reply.type('application/x-ndjson; charset=utf-8').header('headrace-end-cursor', topic.cursorAt(end)).send(sent)
}

const newline = Buffer.from('\n')
const pieceBytes = 64 << 10

async function* readLines(
  history: History,
  range: RecordRange,
  count: (records: number) => void,
): AsyncGenerator<Buffer> {
  let lines: Uint8Array[] = []
  let bytes = 0
  for await (const records of readRecords(history, range)) {
    count(records.length)
    for (const { json } of records) {
      lines.push(json, newline)
      bytes += json.byteLength
      if (bytes < pieceBytes) continue
      yield Buffer.concat(lines)
      lines = []
      bytes = 0
    }
  }
  if (lines.length > 0) yield Buffer.concat(lines)
}
