import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Query } from '../rest/query.ts'
import { type GatewayRequest, parseBody } from './gateway-request.ts'
import { ToolError } from './tool-error.ts'

/** Of a request: what decides its credentials and its address. */
const passedHeaders = ['authorization', 'origin', 'x-forwarded-for']

/** Sends requests of the same caller to the routes of this gateway, without a network. */
export function createInnerRequest(app: FastifyInstance, outer: FastifyRequest, signal: AbortSignal): GatewayRequest {
  const { socket, headers: given, query } = outer
  const headers = Object.fromEntries(
    passedHeaders.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  const { api_key: key } = query as Query
  const credential: Record<string, string> = typeof key === 'string' ? { api_key: key } : {}
  return async (path, parameters) => {
    try {
      const { statusCode, payload } = await app.inject({
        ...{ method: 'GET', path, headers, signal },
        query: { ...parameters, ...credential },
        remoteAddress: socket.remoteAddress ?? '',
      })
      return { status: statusCode, body: parseBody(payload) }
    } catch (error) {
      // Fastify accepts no request once it is closing.
      if ((error as NodeJS.ErrnoException).code !== 'FST_ERR_REOPENED_CLOSE_SERVER') throw error
      throw new ToolError('The gateway is stopping. Call again to reach another one.')
    }
  }
}
