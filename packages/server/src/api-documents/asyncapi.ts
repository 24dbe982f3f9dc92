import type { JsonSchema } from '@headrace/catalog'
import type { ParameterDefinition } from '../api-definition/parameter.ts'
import { schemas } from '../api-definition/schemas.ts'
import type { Limits } from '../options/limits.ts'
import { type EventDefinition, events } from '../sse/events.ts'
import { streamEndpoint } from '../sse/stream-endpoint.ts'
import { rpcErrors } from '../websocket/json-rpc.ts'
import { notifications, type RpcMethodDefinition, rpcMethods } from '../websocket/rpc-methods.ts'
import { upgradeEndpoint } from '../websocket/server.ts'
import { securitySchemes } from './openapi.ts'

interface ChannelDescription {
  readonly channel: JsonSchema
  readonly operations: JsonSchema
  readonly messages: JsonSchema
}

/** AsyncAPI 3.0, from the gateway's side: it sends and receives. */
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
      host: { default: '127.0.0.1:8080', description: 'Address of the gateway, or of the proxy in front of it.' },
    },
    security: [{ $ref: '#/components/securitySchemes/bearer' }, { $ref: '#/components/securitySchemes/parameter' }],
  }
}

function eventChannel(limits: Limits): ChannelDescription {
  const { path, parameters } = streamEndpoint(limits)
  const names = Object.keys(events).map(messageName)
  return {
    channel: {
      address: path,
      description: 'An event stream (HTML standard, section 9.2).',
      servers: [{ $ref: '#/servers/sse' }],
      messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    },
    operations: {
      stream: {
        action: 'send',
        summary: 'Sends the records of topics, and cursors.',
        channel: { $ref: '#/channels/sse' },
        messages: names.map((name) => ({ $ref: `#/channels/sse/messages/${name}` })),
        bindings: { http: { method: 'GET', query: { type: 'object', properties: properties(parameters) } } },
      },
    },
    messages: Object.fromEntries(
      Object.entries(events).map(([event, definition]) => [messageName(event), eventMessage(event, definition)]),
    ),
  }
}

function messageName(event: string): string {
  return `event.${event}`
}

function eventMessage(event: string, { meaning, data }: EventDefinition): JsonSchema {
  const id = { $ref: '#/components/schemas/Cursor', description: 'The cursor over all topics of the connection.' }
  const type = { const: event }
  return {
    name: event,
    summary: meaning,
    contentType: 'text/event-stream',
    headers: { type: 'object', properties: { id, event: type }, required: ['id'] },
    payload: data,
  }
}

const errorMessage = 'error'

export function webSocketChannel(): ChannelDescription {
  const calls = Object.entries<RpcMethodDefinition>(rpcMethods)
  const pushed = Object.keys(notifications)
  const messages: Record<string, JsonSchema> = { [errorMessage]: refusal() }
  for (const [name, method] of calls) {
    messages[name] = request(name, method)
    messages[answerTo(name)] = answer(name, method)
  }
  for (const [name, { meaning, params }] of Object.entries(notifications))
    messages[name] = message(name, meaning, { method: { const: name }, params })
  return {
    channel: {
      address: upgradeEndpoint.path,
      description: 'JSON-RPC 2.0: a request, an answer or a notification in each text message, or a batch of requests.',
      servers: [{ $ref: '#/servers/websocket' }],
      messages: Object.fromEntries(
        Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
    },
    operations: {
      ...Object.fromEntries(calls.map(([name, method]) => [name, call(name, method)])),
      push: {
        action: 'send',
        summary: 'Sends the records of topics, and cursors.',
        channel: { $ref: '#/channels/websocket' },
        messages: pushed.map(reference),
      },
    },
    messages,
  }
}

function call(name: string, { summary }: RpcMethodDefinition): JsonSchema {
  return {
    action: 'receive',
    summary,
    channel: { $ref: '#/channels/websocket' },
    messages: [reference(name)],
    reply: { channel: { $ref: '#/channels/websocket' }, messages: [answerTo(name), errorMessage].map(reference) },
  }
}

function request(name: string, { summary, params }: RpcMethodDefinition): JsonSchema {
  const required = Object.keys(params).filter((name) => params[name]!.required)
  const members = {
    id: { ...id, description: 'Without one, the request is executed and not answered.' },
    method: { const: name },
    params: { type: 'object', properties: properties(params), required, additionalProperties: false },
  }
  return message(name, summary, members, required.length > 0 ? ['method', 'params'] : ['method'])
}

function properties(parameters: Readonly<Record<string, ParameterDefinition>>): JsonSchema {
  const entries = Object.entries(parameters)
  return Object.fromEntries(entries.map(([name, { schema, description }]) => [name, { ...schema, description }]))
}

function answer(name: string, { result }: RpcMethodDefinition): JsonSchema {
  return message(answerTo(name), `The answer to \`${name}\`.`, { id, result })
}

function refusal(): JsonSchema {
  const meanings = Object.values(rpcErrors).map(({ code, meaning }) => `- ${code}: ${meaning}`)
  const codes = Object.values(rpcErrors).map(({ code }) => code)
  const refusals = Object.values(rpcErrors).flatMap(({ refusals }) => refusals)
  const error = {
    type: 'object',
    properties: {
      code: { enum: codes },
      message: { type: 'string' },
      data: { type: 'object', properties: { code: { enum: refusals } }, required: ['code'] },
    },
    required: ['code', 'message'],
  }
  return { ...message(errorMessage, 'Why a request is refused.', { id, error }), description: meanings.join('\n') }
}

function message(
  name: string,
  summary: string,
  members: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(members),
): JsonSchema {
  const properties = { jsonrpc: { const: '2.0' }, ...members }
  return { name, summary, payload: { type: 'object', properties, required: ['jsonrpc', ...required] } }
}

function answerTo(method: string): string {
  return `${method}.answer`
}

function reference(message: string): JsonSchema {
  return { $ref: `#/channels/websocket/messages/${message}` }
}

const id: JsonSchema = { type: ['string', 'number', 'null'] }
