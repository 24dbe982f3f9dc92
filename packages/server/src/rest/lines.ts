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
/** Longest time for which lines wait for more, in ms. */
const pieceMs = 250

async function* readLines(
  history: History,
  range: RecordRange,
  count: (records: number) => void,
): AsyncGenerator<Buffer> {
  const lists = readRecords(history, range)
  let lines: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const reading = lists.next()
    if (bytes > 0 && !(await settlesWithin(reading, pieceMs))) yield takePiece()
    const { done, value: records } = await reading
    if (done) break
    try {
      count(records.length)
    } catch (error) {
      if (bytes > 0) yield takePiece()
      throw error
    }
    for (const { json } of records) {
      lines.push(json, newline)
      bytes += json.byteLength
      if (bytes >= pieceBytes) yield takePiece()
    }
  }
  if (bytes > 0) yield takePiece()

  function takePiece(): Buffer {
    const piece = Buffer.concat(lines)
    lines = []
    bytes = 0
    return piece
  }
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, ms, false)
  const settled = () => true
  const result = await Promise.race([promise.then(settled, settled), late])
  clearTimeout(timer)
  return result
}
