import type { GatewayRequest } from '../gateway-request.ts'
import { refusedByGateway } from '../tool-error.ts'

/** @throws {ToolError} the gateway refuses the request. */
export async function readJson<Body>(
  request: GatewayRequest,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const answer = await request(path, query)
  if (answer.status !== 200 || typeof answer.body !== 'object') throw refusedByGateway(answer)
  return answer.body as Body
}

export function topicPath(of: 'data' | 'topics', topic: string): string {
  return `/api/v1/${of}/${encodeURIComponent(topic)}`
}
