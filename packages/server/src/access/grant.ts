import { isSystemTopic } from '@headrace/catalog'
import { RefusedError } from '../errors.ts'
import type { ApiKey } from './keys/api-key.ts'
import { matchesTopic } from './keys/topic-pattern.ts'

/** What a caller may do: what its API key allows, narrowed by its token if it sent one. */
export interface Grant {
  /** Its limits and usage are shared by all tokens of the key. */
  readonly key: ApiKey
  /** Of a caller without a key, which has the key of all these and limits of its own. */
  readonly address?: string
  /** Patterns as in `ApiKey.topics`. A topic must match one of these and one of the key's. */
  readonly topics?: readonly string[]
  /** Only records that match this filter may be read. */
  readonly filter?: string
  /** When the token expires, in ms since the Unix epoch. */
  readonly expires?: number
}

export function mayRead({ key, topics }: Grant, topic: string): boolean {
  const matches = (pattern: string) => matchesTopic(pattern, topic)
  return !isSystemTopic(topic) && key.topics.some(matches) && (topics?.some(matches) ?? true)
}

/** @throws {RefusedError} `topic_forbidden`, whether the topic exists or not. */
export function checkTopicAllowed(grant: Grant, topic: string): void {
  if (!mayRead(grant, topic))
    throw new RefusedError(
      'topic_forbidden',
      grant.address === undefined
        ? 'The topics of this key do not include the one asked for.'
        : 'This topic needs an API key: "Authorization: Bearer <API_KEY>".',
      { members: { topic } },
    )
}
