import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { RefusedError } from '../errors.ts'
import type { History } from '../history/history.ts'
import { type RecordRange, readRecords } from '../history/page.ts'
import { compressStream } from '../representation/compress-stream.ts'
import { codingFor } from '../representation/content-coding.ts'

export interface LinesOptions {
  readonly history: History
  /** Called with the number of records before they are sent. If it throws, the lines are cut before them. */
  count(records: number): void
  readonly log: Logger
}

export function sendLines(
  reply: FastifyReply,
  range: RecordRange,
  { history, count, log }: LinesOptions,
): FastifyReply {
  const { request, raw } = reply
  const { topic, order, from, to, asOf } = range
  const end = { partitions: order === 'asc' ? to : from, ...(asOf && { asOf }) }
  // For HEAD, fastify would read all lines and discard them.
  const lines = Readable.from(request.method === 'HEAD' ? [] : readLines(history, range, count), { objectMode: false })
  const coding = codingFor(request.headers['accept-encoding'], Number.POSITIVE_INFINITY)
  const sent = coding ? compressStream(lines, coding) : lines
  if (coding) reply.header('content-encoding', coding)
  sent.on('error', (error) => {
    const level = error instanceof RefusedError ? 'info' : 'error'
    if (raw.headersSent) log[level]({ requestId: request.id, err: error }, 'lines cut short')
    // The error is sent to the client, as it is.
    else for (const response of [reply, raw]) response.removeHeader('content-encoding')
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
    try {
      count(records.length)
    } catch (error) {
      if (lines.length > 0) yield Buffer.concat(lines)
      throw error
    }
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
