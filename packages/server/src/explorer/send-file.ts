import type { FastifyReply } from 'fastify'
import { destroyWhenStalled } from '../connection/watch-stall.ts'
import { codingFor } from '../representation/content-coding.ts'
import { entityTag, namesTag } from '../representation/entity-tag.ts'
import type { PageFile } from './load-page.ts'

/** Sends the file, compressed as the request allows, or 304. All requests share its bytes. */
export function sendFile(
  reply: FastifyReply,
  { mediaType, digest, body, encoded }: PageFile,
  stallMs: number,
): FastifyReply {
  const { headers, raw } = reply.request
  const coding = codingFor(headers['accept-encoding'], body.byteLength, [...encoded.keys()])
  const tag = entityTag(digest, coding)
  reply.header('etag', tag)
  if (namesTag(headers['if-none-match'], tag)) return reply.code(304).send()
  if (coding) reply.header('content-encoding', coding)
  destroyWhenStalled(raw.socket, reply.raw, stallMs)
  return reply.type(mediaType).send(coding ? encoded.get(coding) : body)
}
