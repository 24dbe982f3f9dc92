import type { JsonSchema } from '@headrace/catalog'
import { positionSchema } from '../api-definition/position-schema.ts'
import { gapSchema, progressSchema, startSchema, unsubscribedSchema } from '../api-definition/stream-schema.ts'

/** A method that clients can call: what its params are checked by, and what documents say of it. */
export interface RpcMethodDefinition {
  readonly summary: string
  /** By name. */
  readonly params: Readonly<Record<string, RpcParam>>
  readonly result: JsonSchema
}

export interface RpcParam {
  /** In Markdown. */
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: true
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
    summary: 'Begins to push the records of topics: of all of them or of none',
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
        description: 'a position for all, or an object of topic and position; `latest` where none is given',
      },
      onGap: {
        schema: { enum: onGapChoices, default: onGapChoices[0] },
        description: 'what is done where a position is lost: `error` (default), or `skip` to continue from `earliest`',
      },
    },
    result: startSchema,
  },
  unsubscribe: {
    summary: 'Stops that, and says how far it has come',
    params: { topics: { schema: topics, description: 'names of topics; none for all' } },
    result: unsubscribedSchema,
  },
  ping: { summary: 'Asks for an answer', params: {}, result: { const: 'pong' } },
}

/** A notification of the gateway. */
export interface NotificationDefinition {
  /** What it says, in Markdown. */
  readonly meaning: string
  readonly params: JsonSchema
}

export type NotificationMethod = 'subscription' | 'progress' | 'gap'

/** Every notification, by its method. */
export const notifications: Readonly<Record<NotificationMethod, NotificationDefinition>> = {
  subscription: { meaning: 'A record, the same as REST gives.', params: { $ref: '#/components/schemas/Record' } },
  progress: {
    meaning: 'How far the subscriptions have come. After silence, and before the gateway ends a connection.',
    params: progressSchema,
  },
  gap: { meaning: 'Records are lost, and the subscription goes on at the next that is there.', params: gapSchema },
}
