import type { FastifyInstance } from 'fastify'
import type { GatewayMeter } from '../metrics/gateway-meter.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'

/** Counts every answer, once it is sent. */
export function countResponses(app: FastifyInstance, meter: GatewayMeter, usage: UsageMeter): void {
  app.addHook('onResponse', (request, reply, done) => {
    // What clients make up is no route: labels stay as many as there are paths.
    meter.countRequest(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime)
    usage.countResponse(request.socket, request.apiKey?.id)
    done()
  })
}
