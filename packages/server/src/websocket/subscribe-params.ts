import { invalid } from '../api-definition/read-parameters.ts'
import type { OnGap } from '../feed/start.ts'
import { defaultFrom, onGapChoices, type RpcMethodDefinition, rpcMethods } from './rpc-methods.ts'

export interface SubscribeParams {
  readonly topics: readonly string[]
  /** The position to begin at in a topic. */
  fromOf(topic: string): string
  readonly onGap: OnGap
}

/**
 * The topics to subscribe to. Whether the key covers them is told before anything else that may be wrong.
 *
 * @throws {RefusedError} `invalid_parameter`
 */
export function readSubscribedTopics(params: unknown): readonly string[] {
  return readTopics((params as { readonly topics?: unknown } | undefined)?.topics)
}

/** @throws {RefusedError} `invalid_parameter` */
export function readSubscribeParams(params: unknown): SubscribeParams {
  const { topics, from = defaultFrom, onGap } = readParams(params, rpcMethods.subscribe)
  return { topics: readTopics(topics), fromOf: readFrom(from, readTopics(topics)), onGap: readOnGap(onGap) }
}

/** The topics to leave; `undefined`: all. */
export function readUnsubscribeParams(params: unknown): readonly string[] | undefined {
  const { topics } = readParams(params, rpcMethods.unsubscribe)
  return topics === undefined ? undefined : readTopics(topics)
}

function readParams(params: unknown, { params: allowed }: RpcMethodDefinition): Record<string, unknown> {
  if (Array.isArray(params)) throw invalid('params', 'Parameters are given by name, as an object.')
  const given = (params ?? {}) as Record<string, unknown>
  for (const name of Object.keys(given))
    if (!Object.hasOwn(allowed, name))
      throw invalid(name, `There is no such parameter. Allowed: ${Object.keys(allowed).join(', ')}.`)
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
    if (typeof position !== 'string') throw invalid('from', 'Every position in from must be a text.')
  }
  return (topic) => positions.get(topic) ?? defaultFrom
}

function readOnGap(onGap: unknown = onGapChoices[0]): OnGap {
  const found = onGapChoices.find((choice) => choice === onGap)
  if (!found) throw invalid('onGap', `onGap must be ${onGapChoices.map((choice) => `"${choice}"`).join(' or ')}.`)
  return found
}
