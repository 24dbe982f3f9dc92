import type { JsonSchema } from '@headrace/catalog'
import { notifications } from '../websocket/notifications.ts'
import { rpcErrors } from '../websocket/rpc-errors.ts'
import { type RpcMethodDefinition, rpcMethods } from '../websocket/rpc-methods.ts'
import { upgradeEndpoint } from '../websocket/upgrade-endpoint.ts'
import type { ChannelDescription } from './asyncapi.ts'

const errorMessage = 'error'

/** Describes `/ws/v1`. */
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
        summary: 'Sends the records of topics, and how far it has come.',
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
  const properties = Object.entries(params).map(([name, { schema, description }]) => [name, { ...schema, description }])
  const required = Object.keys(params).filter((name) => params[name]!.required)
  const members = {
    id: { ...id, description: 'Without one the request is executed and never answered.' },
    method: { const: name },
    params: { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false },
  }
  return message(name, summary, members, required.length > 0 ? ['method', 'params'] : ['method'])
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

/** A message of JSON-RPC 2.0. All of its members must be there, unless it says which. */
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
