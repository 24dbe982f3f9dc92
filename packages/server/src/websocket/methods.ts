import type { JsonSchema } from '@headrace/catalog'
import { checkTopicAllowed } from '../access/grant.ts'
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

function perTopic(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'object', propertyNames: ref('TopicName'), additionalProperties: schema }] }
}

export type RpcMethodName = 'subscribe' | 'unsubscribe' | 'ping'

export const rpcMethods: Readonly<Record<RpcMethodName, RpcMethodDefinition>> = {
  subscribe: {
    summary: 'Subscribes to topics: to all of them, or to none if one is refused',
    params: {
      topics: { required: true, schema: topics, description: 'names of topics' },
      from: {
        schema: { ...perTopic(position), default: defaultFrom },
        description: 'a position for all topics, or an object of topic and position; default `latest`',
      },
      filter: {
        schema: perTopic({ type: 'string', minLength: 1, maxLength: 2048 }),
        description:
          'a filter: only records for which this CEL expression is true; for all topics, or an object of topic and filter',
      },
      fields: {
        schema: perTopic({ type: 'array', items: { type: 'string' }, minItems: 1 }),
        description:
          'only these fields of `value`, as an array of names; for all topics, or an object of topic and names',
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
      for (const topic of readTopics((params as { topics?: unknown } | undefined)?.topics))
        checkTopicAllowed(grant, topic)
      const { topics, onGap, ...of } = readSubscribeParams(params)
      if (stream.topics.length + topics.length > limits.topicsPerWebSocket)
        throw new RefusedError(
          'too_many_subscriptions',
          `A connection may have at most ${limits.topicsPerWebSocket} topics.`,
        )
      for (const topic of topics)
        if (stream.has(topic)) throw invalid('topics', `"${topic}" is already subscribed. Unsubscribe first.`)
      const starts = await Promise.all(
        topics.map((topic) => {
          const selected = { filter: of.filter(topic), fields: of.fields(topic), permitted: grant.filter }
          return resolveStart(options, { topic, from: of.from(topic), parameter: 'from', onGap, ...selected })
        }),
      )
      const afterReply = stream.hold()
      for (const start of starts) stream.add(feeds.of(start.open), start)
      return { result: startMessage(starts, limits), afterReply }
    },
    unsubscribe(params) {
      const { topics } = readParams(params, rpcMethods.unsubscribe)
      const removed = (topics === undefined ? stream.topics : readTopics(topics)).flatMap((topic) => {
        const place = stream.remove(topic)
        return place ? [{ topic, ...place }] : []
      })
      return { result: { topics: removed } }
    },
    ping: () => ({ result: 'pong' }),
  }
}

export interface SubscribeParams {
  readonly topics: readonly string[]
  from(topic: string): string
  filter(topic: string): string | undefined
  fields(topic: string): string | undefined
  readonly onGap: OnGap
}

export function readSubscribeParams(params: unknown): SubscribeParams {
  const { topics: names, from = defaultFrom, filter, fields, onGap } = readParams(params, rpcMethods.subscribe)
  const topics = readTopics(names)
  const fromOf = readPerTopic('from', from, { topics, ...text, kind: 'a position' })
  const fieldsOf = readPerTopic('fields', fields, { topics, isValue: isNames, kind: 'an array of names' })
  return {
    topics,
    from: (topic) => fromOf(topic) ?? defaultFrom,
    filter: readPerTopic('filter', filter, { topics, ...text, kind: 'a CEL expression' }),
    fields: (topic) => fieldsOf(topic)?.join(','),
    onGap: readOnGap(onGap),
  }
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

interface PerTopic<Value> {
  readonly topics: readonly string[]
  readonly kind: string
  isValue(value: unknown): value is Value
}

const text = { isValue: (value: unknown): value is string => typeof value === 'string' }

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
}

/** A value for all topics, or an object of topic and value. */
function readPerTopic<Value>(
  name: string,
  given: unknown,
  { topics, kind, isValue }: PerTopic<Value>,
): (topic: string) => Value | undefined {
  if (given === undefined || isValue(given)) return () => given
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(name, `${name} must be ${kind}, or an object of topic and ${kind}.`)
  const values = new Map<string, Value>()
  for (const [topic, value] of Object.entries(given)) {
    if (!topics.includes(topic)) throw invalid(name, `${name} names a topic that is not in topics.`)
    if (!isValue(value)) throw invalid(name, `Every value in ${name} must be ${kind}.`)
    values.set(topic, value)
  }
  return (topic) => values.get(topic)
}

function readOnGap(onGap: unknown = onGapChoices[0]): OnGap {
  const found = onGapChoices.find((choice) => choice === onGap)
  if (!found) throw invalid('onGap', `onGap must be ${onGapChoices.map((choice) => `"${choice}"`).join(' or ')}.`)
  return found
}
