import { invalid } from '../rest/data-query.ts'

export interface SubscribeParams {
  readonly topics: readonly string[]
  /** The position to begin at in a topic. */
  fromOf(topic: string): string
  readonly onGap: 'error' | 'skip'
}

/** @throws {RefusedError} `invalid_parameter` */
export function readSubscribeParams(params: unknown): SubscribeParams {
  const { topics, from = 'latest', onGap = 'error', ...others } = readParams(params)
  for (const name of Object.keys(others))
    throw invalid(name, 'There is no such parameter. Allowed: topics, from, onGap.')
  if (onGap !== 'error' && onGap !== 'skip') throw invalid('onGap', 'onGap must be "error" or "skip".')
  return { topics: readTopics(topics), fromOf: readFrom(from, readTopics(topics)), onGap }
}

/** The topics to leave; `undefined`: all. */
export function readUnsubscribeParams(params: unknown): readonly string[] | undefined {
  const { topics, ...others } = readParams(params)
  for (const name of Object.keys(others)) throw invalid(name, 'There is no such parameter. Allowed: topics.')
  return topics === undefined ? undefined : readTopics(topics)
}

function readParams(params: unknown): Record<string, unknown> {
  if (Array.isArray(params)) throw invalid('params', 'Parameters are given by name, as an object.')
  return (params ?? {}) as Record<string, unknown>
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
  return (topic) => positions.get(topic) ?? 'latest'
}
