import type { Queue } from '@headrace/queue'
import { checkTopicAllowed } from '../access/admission.ts'
import { invalid } from '../api-definition/read-parameters.ts'
import { RefusedError } from '../errors.ts'
import type { Feeds } from '../feed/feeds.ts'
import { resolveStart } from '../feed/resolve-start.ts'
import type { Stream } from '../feed/stream.ts'
import type { CanonicalViews } from '../history/canonical-views.ts'
import type { Heads } from '../history/heads.ts'
import type { Limits } from '../operations/limits.ts'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import type { RpcMethod } from './json-rpc.ts'
import type { RpcMethodName } from './rpc-methods.ts'
import { readSubscribedTopics, readSubscribeParams, readUnsubscribeParams } from './subscribe-params.ts'

export interface MethodsOptions {
  readonly queue: Queue
  readonly topics: TopicDirectory
  readonly heads: Heads
  readonly canonicalViews: CanonicalViews
  readonly feeds: Feeds
  readonly limits: Limits
  readonly stream: Stream
}

/** What a client of `/ws/v1` can call. */
export function createMethods(options: MethodsOptions): Record<RpcMethodName, RpcMethod> {
  const { stream, limits, feeds } = options
  return {
    async subscribe(params, key) {
      for (const topic of readSubscribedTopics(params)) checkTopicAllowed(key, topic)
      const { topics, fromOf, onGap } = readSubscribeParams(params)
      if (stream.topics.length + topics.length > limits.topicsPerWebSocket)
        throw new RefusedError('too_many_subscriptions', `A connection may have ${limits.topicsPerWebSocket} topics.`)
      for (const topic of topics)
        if (stream.has(topic)) throw invalid('topics', `"${topic}" is subscribed to already: unsubscribe first.`)
      const starts = await Promise.all(
        topics.map((topic) => resolveStart(options, { topic, from: fromOf(topic), parameter: 'from', onGap })),
      )
      const afterReply = stream.hold()
      for (const { open, start } of starts) stream.add(feeds.of(open), start)
      const subscribed = starts.map(({ open: { topic }, start }) => {
        return { topic: topic.name, cursor: topic.cursorAt(start.position) }
      })
      return { result: { topics: subscribed, heartbeatMs: limits.heartbeatMs }, afterReply }
    },
    unsubscribe(params) {
      const topics = readUnsubscribeParams(params) ?? stream.topics
      const left = topics.map((topic) => ({ topic, cursor: stream.remove(topic) }))
      return { result: { topics: left.filter(({ cursor }) => cursor !== undefined) } }
    },
    ping: () => ({ result: 'pong' }),
  }
}
