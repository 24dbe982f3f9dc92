import type { JsonSchema } from '@headrace/catalog'
import { checkNoFilter, checkTopicAllowed } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { invalid, type ParameterDefinition } from '../api-definition/parameter.ts'
import { positionSchema, ref } from '../api-definition/schemas.ts'
import { startSchema, unsubscribedSchema } from '../api-definition/stream-messages.ts'
import { RefusedError } from '../errors.ts'
import { resolveStart, startMessage } from '../feed/start.ts'
import type { Stream } from '../feed/stream.ts'
import type { OnGap } from '../feed/subscription.ts'
import type { RpcMethod } from './json-rpc.ts'

export interface RpcMethodDefinition {
  readonly summary: string
  readonly params: Readonly<Record<string, ParameterDefinition>>
  readonly result: JsonSchema
}

const onGapChoices = ['error', 'skip'] as const
const defaultFrom = 'latest'

const position = positionSchema({ isStart: true })
const topics: JsonSchema = { type: 'array', items: ref('TopicName'), minItems: 1, uniqueItems: true }

export type RpcMethodName = 'subscribe' | 'unsubscribe' | 'ping'

export const rpcMethods: Readonly<Record<RpcMethodName, RpcMethodDefinition>> = {
  subscribe: {
    summary: 'Subscribes to topics: to all of them, or to none if one is refused',
    params: {
      topics: { required: true, schema: topics, description: 'names of topics' },
      from: {
        schema: {
          anyOf: [position, { type: 'object', propertyNames: ref('TopicName'), additionalProperties: position }],
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

export interface MethodsOptions
  extends Pick<ApiContext, 'queue' | 'topics' | 'heads' | 'canonicalViews' | 'feeds' | 'limits'> {
  readonly stream: Stream
}

export function createMethods(options: MethodsOptions): Record<RpcMethodName, RpcMethod> {
  const { stream, limits, feeds } = options
  return {
    async subscribe(params, grant) {
      // The order of refusals: `topic_forbidden` comes before `invalid_parameter`.
      for (const topic of readTopics((params as { topics?: unknown } | undefined)?.topics)) {
        checkTopicAllowed(grant, topic)
        checkNoFilter(grant, topic)
      }
      const { topics, fromOf, onGap } = readSubscribeParams(params)
      if (stream.topics.length + topics.length > limits.topicsPerWebSocket)
        throw new RefusedError(
          'too_many_subscriptions',
          `A connection may have at most ${limits.topicsPerWebSocket} topics.`,
        )
      for (const topic of topics)
        if (stream.has(topic)) throw invalid('topics', `"${topic}" is already subscribed. Unsubscribe first.`)
      const starts = await Promise.all(
        topics.map((topic) => resolveStart(options, { topic, from: fromOf(topic), parameter: 'from', onGap })),
      )
      const afterReply = stream.hold()
      for (const start of starts) stream.add(feeds.of(start.open), start)
      return { result: startMessage(starts, limits), afterReply }
    },
    unsubscribe(params) {
      const { topics } = readParams(params, rpcMethods.unsubscribe)
      const removed = (topics === undefined ? stream.topics : readTopics(topics)).map((topic) => ({
        topic,
        cursor: stream.remove(topic),
      }))
      return { result: { topics: removed.filter(({ cursor }) => cursor !== undefined) } }
    },
    ping: () => ({ result: 'pong' }),
  }
}

export interface SubscribeParams {
  readonly topics: readonly string[]
  fromOf(topic: string): string
  readonly onGap: OnGap
}

export function readSubscribeParams(params: unknown): SubscribeParams {
  const { topics, from = defaultFrom, onGap } = readParams(params, rpcMethods.subscribe)
  return { topics: readTopics(topics), fromOf: readFrom(from, readTopics(topics)), onGap: readOnGap(onGap) }
}

function readParams(params: unknown, { params: allowed }: RpcMethodDefinition): Record<string, unknown> {
  if (Array.isArray(params)) throw invalid('params', 'params must be an object of parameters by name.')
  const given = (params ?? {}) as Record<string, unknown>
  for (const name of Object.keys(given))
    if (!Object.hasOwn(allowed, name))
      throw invalid(name, `This parameter is unknown. Allowed: ${Object.keys(allowed).join(', ')}.`)
  return given
}

function readTopics(topics: unknown): readonly string[] {
  if (!Array.isArray(topics) || topics.length === 0 || !topics.every((topic) => typeof topic === 'string'))
    throw invalid('topics', 'topics must be an array of topic names, at least one.')
  if (new Set(topics).size < topics.length) throw invalid('topics', 'topics names a topic twice.')
  return topics
}

function readFrom(from: unknown, topics: readonly string[]): (topic: string) => string {
  if (typeof from === 'string') return () => from
  if (typeof from !== 'object' || from === null || Array.isArray(from))
    throw invalid('from', 'from must be a position, or an object of topic and position.')
  const positions = new Map(Object.entries(from))
  for (const [topic, position] of positions) {
    if (!topics.includes(topic)) throw invalid('from', 'from names a topic that is not in topics.')
    if (typeof position !== 'string') throw invalid('from', 'Every position in from must be a string.')
  }
  return (topic) => positions.get(topic) ?? defaultFrom
}

function readOnGap(onGap: unknown = onGapChoices[0]): OnGap {
  const found = onGapChoices.find((choice) => choice === onGap)
  if (!found) throw invalid('onGap', `onGap must be ${onGapChoices.map((choice) => `"${choice}"`).join(' or ')}.`)
  return found
}
