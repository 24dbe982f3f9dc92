import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import { RefusedError } from '../errors.ts'
import { isRegistryPath, registryMembers, registryType } from '../schema-registry/registry-error.ts'

export const problemType = 'application/problem+json'

/** RFC 9457. */
export function problemBody(
  refusal: RefusedError,
  requestId: string,
  members: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[refusal.status],
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    ...members,
    ...refusal.members,
    requestId,
  })
}

/** On the paths of the schema registry, a problem document has the members that its clients read. */
export function sendProblem(reply: FastifyReply, refusal: RefusedError): void {
  const { id, url } = reply.request
  const isRegistry = isRegistryPath(url)
  void reply
    .code(refusal.status)
    .headers({ ...refusal.headers, 'x-request-id': id })
    .type(isRegistry ? registryType : problemType)
    // To a string fastify would add a charset, which these media types do not have.
    .send(Buffer.from(problemBody(refusal, id, isRegistry ? registryMembers(refusal) : {})))
}

export function methodNotAllowed(allowed = 'GET, HEAD'): RefusedError {
  return new RefusedError('method_not_allowed', `This path supports ${allowed.replace(', ', ' and ')} only.`, {
    headers: { allow: allowed },
  })
}

export function pathNotFound(): RefusedError {
  return new RefusedError('path_not_found', 'This path does not exist.')
}
