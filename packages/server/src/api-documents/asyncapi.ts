import type { JsonSchema } from '@headrace/catalog'
import { schemas } from '../api-definition/schemas.ts'
import type { Limits } from '../operations/limits.ts'
import { eventChannel } from './event-channel.ts'
import { securitySchemes } from './security-schemes.ts'
import { webSocketChannel } from './websocket-channel.ts'

/** A channel of an AsyncAPI document, with what is done on it. */
export interface ChannelDescription {
  readonly channel: JsonSchema
  readonly operations: JsonSchema
  /** By names that no other channel uses. */
  readonly messages: JsonSchema
}

/** Describes what is sent over WebSocket and SSE, as AsyncAPI 3.0, from the side of the gateway: it sends and receives. */
export function asyncApiDocument(limits: Limits): JsonSchema {
  const websocket = webSocketChannel()
  const sse = eventChannel(limits)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Headrace',
      version: '1',
      description: 'Live records of topics. `/api/v1/openapi.json` describes REST.',
    },
    defaultContentType: 'application/json',
    servers: { websocket: server('wss', 'JSON-RPC 2.0 over WebSocket.'), sse: server('https', 'Server-Sent Events.') },
    channels: { websocket: websocket.channel, sse: sse.channel },
    operations: { ...websocket.operations, ...sse.operations },
    components: {
      schemas,
      messages: { ...websocket.messages, ...sse.messages },
      securitySchemes: securitySchemes('httpApiKey'),
    },
  }
}

function server(protocol: string, description: string): JsonSchema {
  return {
    host: '{host}',
    protocol,
    description,
    variables: {
      host: { default: '127.0.0.1:8080', description: 'Where the gateway, or what is in front of it, listens.' },
    },
    security: [{ $ref: '#/components/securitySchemes/bearer' }, { $ref: '#/components/securitySchemes/parameter' }],
  }
}
