import type { Logger, Queue } from '@headrace/queue'
import {
  type FollowedRegistry,
  followRegistry,
  readRegistry,
  type TopicRegistration,
} from '../registry/registration.ts'
import { type Adoption, followAdoptions, readAdoptions } from './adoption.ts'

/** What a topic contains: what its connector has registered, or what was stated about the records of others. */
export type TopicContent = TopicRegistration | Adoption

export interface TopicContents {
  get(topic: string): TopicContent | undefined
  /** Those that connectors have registered. */
  readonly registrations: ReadonlyMap<string, TopicRegistration>
  /** In any order. */
  values(): TopicContent[]
}

/** Of a gateway. */
export interface FollowedContents extends TopicContents, Pick<FollowedRegistry, 'earlierSchemas' | 'catchUp'> {}

export function isAdopted(content: TopicContent): content is Adoption {
  return 'format' in content
}

/**
 * A live view until the signal is aborted. A registration precedes an adoption of the same topic.
 *
 * @throws {UnknownTopicError} there are no system topics yet.
 * @throws {UserError} `invalid_registration`
 */
export async function followContents(
  queue: Queue,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<FollowedContents> {
  const { registrations, earlierSchemas, catchUp } = await followRegistry(queue, options)
  return { earlierSchemas, catchUp, ...joined(registrations, await followAdoptions(queue, options)) }
}

/** @throws {UserError} `invalid_registration` */
export async function readContents(queue: Queue): Promise<TopicContents> {
  return joined(await readRegistry(queue), await readAdoptions(queue))
}

function joined(
  registrations: ReadonlyMap<string, TopicRegistration>,
  adoptions: ReadonlyMap<string, Adoption>,
): TopicContents {
  return {
    registrations,
    get: (topic) => registrations.get(topic) ?? adoptions.get(topic),
    values: () => [
      ...registrations.values(),
      ...[...adoptions.values()].filter(({ topic }) => !registrations.has(topic)),
    ],
  }
}
