import type { Logger } from 'pino'
import type { GatewayRequest } from './gateway-request.ts'
import type { Tool } from './tool.ts'

/** Apart from the server, so that the types of this package need none of the protocol's. */
export interface McpServerOptions {
  readonly tools: readonly Tool[]
  readonly request: GatewayRequest
  readonly log: Logger
}
