import type { JsonSchema } from '@headrace/catalog'
import type { ParameterDefinition } from '../api-definition/parameter.ts'
import { positionSchema } from '../api-definition/position-schema.ts'
import { gapSchema, progressSchema, startSchema, unsubscribedSchema } from '../api-definition/stream-schema.ts'

export interface RpcMethodDefinition {
  readonly summary: string
  readonly params: Readonly<Record<string, ParameterDefinition>>
  readonly result: JsonSchema
}

export const onGapChoices = ['error', 'skip'] as const
export const defaultFrom = 'latest'

const position = positionSchema({ isStart: true })
const topics: JsonSchema = {
  type: 'array',
  items: { $ref: '#/components/schemas/TopicName' },
  minItems: 1,
  uniqueItems: true,
}

export type RpcMethodName = 'subscribe' | 'unsubscribe' | 'ping'

export const rpcMethods: Readonly<Record<RpcMethodName, RpcMethodDefinition>> = {
  subscribe: {
    summary: 'Subscribes to topics: to all of them, or to none if one is refused',
    params: {
      topics: { required: true, schema: topics, description: 'names of topics' },
      from: {
        schema: {
          anyOf: [
            position,
            {
              type: 'object',
              propertyNames: { $ref: '#/components/schemas/TopicName' },
              additionalProperties: position,
            },
          ],
          default: defaultFrom,
        },
        description: 'a position for all topics, or an object of topic and position; default `latest`',
      },
      onGap: {
        schema: { enum: onGapChoices, default: onGapChoices[0] },
        description:
          'what happens if the records at a position no longer exist: `error` (default), or `skip` to continue from `earliest`',
      },
    },
    result: startSchema,
  },
  unsubscribe: {
    summary: 'Unsubscribes from topics, and returns their cursors',
    params: { topics: { schema: topics, description: 'names of topics; absent: all' } },
    result: unsubscribedSchema,
  },
  ping: { summary: 'Checks the connection', params: {}, result: { const: 'pong' } },
}

export interface NotificationDefinition {
  readonly meaning: string
  readonly params: JsonSchema
}

export type NotificationMethod = 'subscription' | 'progress' | 'gap'

export const notifications: Readonly<Record<NotificationMethod, NotificationDefinition>> = {
  subscription: { meaning: 'A record, the same as in REST.', params: { $ref: '#/components/schemas/Record' } },
  progress: {
    meaning: 'The cursors of the subscriptions. Sent after silence, and before the gateway closes a connection.',
    params: progressSchema,
  },
  gap: { meaning: 'Records are lost. The subscription continues at the next existing record.', params: gapSchema },
}
