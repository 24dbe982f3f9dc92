import type { JsonSchema } from '@headrace/catalog'
import type { ParameterDefinition } from '../api-definition/parameter.ts'
import { object, ref, schemas } from '../api-definition/schemas.ts'
import { events, notifications } from '../api-definition/stream-messages.ts'
import type { Limits } from '../options/limits.ts'
import { streamEndpoint } from '../sse/stream-route.ts'
import { rpcErrors } from '../websocket/json-rpc.ts'
import { type RpcMethodDefinition, rpcMethods } from '../websocket/methods.ts'
import { upgradeEndpoint } from '../websocket/server.ts'
import { apiInfo } from './api-info.ts'
import { securitySchemes } from './openapi.ts'

type Messages = Readonly<Record<string, JsonSchema>>

type ChannelName = 'websocket' | 'sse'

/** AsyncAPI 3.0, from the gateway's side: it sends and receives. */
export function asyncApiDocument(limits: Limits, contact: string | undefined): JsonSchema {
  const { path, parameters } = streamEndpoint(limits)
  const [overWebSocket, overSse] = [webSocketMessages(), eventMessages()]
  return {
    asyncapi: '3.0.0',
    info: apiInfo('Live records of topics. `/api/v1/openapi.json` describes REST.', contact),
    defaultContentType: 'application/json',
    servers: { websocket: server('wss', 'JSON-RPC 2.0 over WebSocket.'), sse: server('https', 'Server-Sent Events.') },
    channels: {
      websocket: {
        address: upgradeEndpoint.path,
        description:
          'JSON-RPC 2.0: a request, an answer or a notification in each text message, or a batch of requests.',
        ...channel('websocket', overWebSocket),
      },
      sse: { address: path, description: 'An event stream (HTML standard, section 9.2).', ...channel('sse', overSse) },
    },
    operations: {
      ...mapValues(rpcMethods, ({ summary }, name) => ({
        action: 'receive',
        summary,
        ...through('websocket', [name]),
        reply: through('websocket', [answerTo(name), errorMessage]),
      })),
      push: { action: 'send', summary: sends, ...through('websocket', Object.keys(notifications)) },
      stream: {
        action: 'send',
        summary: sends,
        ...through('sse', Object.keys(overSse)),
        bindings: { http: { method: 'GET', query: { type: 'object', properties: properties(parameters) } } },
      },
    },
    components: {
      schemas,
      messages: { ...overWebSocket, ...overSse },
      securitySchemes: securitySchemes('httpApiKey'),
    },
  }
}

const sends = 'Sends the records of topics, and cursors.'

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

function channel(name: ChannelName, messages: Messages): JsonSchema {
  return {
    servers: [{ $ref: `#/servers/${name}` }],
    messages: mapValues(messages, (_, message) => ({ $ref: `#/components/messages/${message}` })),
  }
}

function through(channel: ChannelName, messages: readonly string[]): JsonSchema {
  return {
    channel: { $ref: `#/channels/${channel}` },
    messages: messages.map((message) => ({ $ref: `#/channels/${channel}/messages/${message}` })),
  }
}

function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => JsonSchema,
): Messages {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
}

function eventMessages(): Messages {
  const id = ref('Cursor', 'The cursor over all topics of the connection.')
  const messages = Object.entries(events).map(([name, { meaning, schema }]) => ({
    name,
    summary: meaning,
    contentType: 'text/event-stream',
    headers: object({ id, event: { const: name } }, { optional: ['event'] }),
    payload: schema,
  }))
  return Object.fromEntries(messages.map((message) => [`event.${message.name}`, message]))
}

const errorMessage = 'error'

export function webSocketMessages(): Messages {
  const messages: Record<string, JsonSchema> = { [errorMessage]: refusal() }
  for (const [name, method] of Object.entries<RpcMethodDefinition>(rpcMethods)) {
    messages[name] = request(name, method)
    messages[answerTo(name)] = message(answerTo(name), `The answer to \`${name}\`.`, { id, result: method.result })
  }
  for (const [name, { meaning, schema }] of Object.entries(notifications))
    messages[name] = message(name, meaning, { method: { const: name }, params: schema })
  return messages
}

function request(name: string, { summary, params }: RpcMethodDefinition): JsonSchema {
  const required = Object.keys(params).filter((name) => params[name]!.required)
  const members = {
    id: { ...id, description: 'Without one, the request is executed and not answered.' },
    method: { const: name },
    params: { type: 'object', properties: properties(params), required, additionalProperties: false },
  }
  return message(name, summary, members, required.length > 0 ? ['id'] : ['id', 'params'])
}

function properties(parameters: Readonly<Record<string, ParameterDefinition>>): Messages {
  return mapValues(parameters, ({ schema, description }) => ({ ...schema, description }))
}

function refusal(): JsonSchema {
  const errors = Object.values(rpcErrors)
  const error = object(
    {
      code: { enum: errors.map(({ code }) => code) },
      message: { type: 'string' },
      data: object({ code: { enum: errors.flatMap(({ refusals }) => refusals) } }),
    },
    { optional: ['data'] },
  )
  const description = errors.map(({ code, meaning }) => `- ${code}: ${meaning}`).join('\n')
  return { ...message(errorMessage, 'Why a request is refused.', { id, error }), description }
}

function message(name: string, summary: string, members: Messages, optional: readonly string[] = []): JsonSchema {
  return { name, summary, payload: object({ jsonrpc: { const: '2.0' }, ...members }, { optional }) }
}

function answerTo(method: string): string {
  return `${method}.answer`
}

const id: JsonSchema = { type: ['string', 'number', 'null'] }
