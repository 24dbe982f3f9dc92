import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import { RefusedError } from '../errors.ts'

export const problemType = 'application/problem+json'

/** RFC 9457. */
export function problemBody(refusal: RefusedError, requestId: string): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[refusal.status],
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    ...refusal.members,
    requestId,
  })
}

export function sendProblem(reply: FastifyReply, refusal: RefusedError): void {
  void reply
    .code(refusal.status)
    .headers({ ...refusal.headers, 'x-request-id': reply.request.id })
    .type(problemType)
    // To a string fastify would add a charset, which this media type does not have.
    .send(Buffer.from(problemBody(refusal, reply.request.id)))
}

export function methodNotAllowed(allowed = 'GET, HEAD'): RefusedError {
  return new RefusedError('method_not_allowed', `This path supports ${allowed.replace(', ', ' and ')} only.`, {
    headers: { allow: allowed },
  })
}

export function pathNotFound(): RefusedError {
  return new RefusedError('path_not_found', 'This path does not exist.')
}
