import type { JsonSchema } from '@headrace/catalog'
import { parameterSchema } from '../api-definition/parameter.ts'
import type { Limits } from '../operations/limits.ts'
import { type EventDefinition, events } from '../sse/events.ts'
import { streamEndpoint } from '../sse/stream-endpoint.ts'
import type { ChannelDescription } from './asyncapi.ts'

/** Describes `/sse/v1`. */
export function eventChannel(limits: Limits): ChannelDescription {
  const { path, parameters } = streamEndpoint(limits)
  const names = Object.keys(events).map(messageName)
  const query = Object.entries(parameters).map(([name, parameter]) => {
    return [name, { ...parameterSchema(parameter), description: parameter.description }]
  })
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
        summary: 'Sends the records of topics, and how far it has come.',
        channel: { $ref: '#/channels/sse' },
        messages: names.map((name) => ({ $ref: `#/channels/sse/messages/${name}` })),
        bindings: { http: { method: 'GET', query: { type: 'object', properties: Object.fromEntries(query) } } },
      },
    },
    messages: Object.fromEntries(
      Object.entries(events).map(([event, definition]) => [messageName(event), message(event, definition)]),
    ),
  }
}

function messageName(event: string): string {
  return `event.${event}`
}

/** Its fields as headers, but for its data. */
function message(event: string, { meaning, data }: EventDefinition): JsonSchema {
  const id = { $ref: '#/components/schemas/Cursor', description: 'The cursor over all topics of the connection.' }
  // The type of an event that has none is `message`.
  const type = { const: event }
  return {
    name: event,
    summary: meaning,
    contentType: 'text/event-stream',
    headers: { type: 'object', properties: { id, event: type }, required: ['id'] },
    payload: data,
  }
}
