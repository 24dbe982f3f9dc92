import type { GatewayRequest } from '../gateway-request.ts'
import { refusedByGateway } from '../tool-error.ts'

/**
 * @param member - One that every gateway has in this answer: another server may answer with JSON, too.
 * @throws {ToolError} the gateway refuses the request, or it is none.
 */
export async function readJson<Body>(
  request: GatewayRequest,
  member: string & keyof Body,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const answer = await request(path, query)
  const { status, body } = answer
  if (status !== 200 || typeof body !== 'object' || body === null || !Object.hasOwn(body, member))
    throw refusedByGateway(answer)
  return body as Body
}

export function topicPath(of: 'data' | 'topics', topic: string): string {
  return `/api/v1/${of}/${encodeURIComponent(topic)}`
}
