import type { Logger, Queue } from '@headrace/queue'
import {
  type FollowedRegistry,
  followRegistry,
  readRegistry,
  type TopicRegistration,
} from '../registry/registration.ts'
import { type Adoption, type Adoptions, followAdoptions, readAdoptions } from './adoption.ts'

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
 * @throws {UnknownTopicError} there is no registry yet.
 * @throws {UserError} `invalid_registration`
 */
export async function followContents(
  queue: Queue,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<FollowedContents> {
  const { registrations, ...followed } = await followRegistry(queue, options)
  const adoptions = await followAdoptions(queue, options)
  return { ...followed, ...joined(registrations, adoptions.current) }
}

/** @throws {UserError} `invalid_registration` */
export async function readContents(queue: Queue): Promise<TopicContents> {
  const adoptions = await readAdoptions(queue)
  return joined(await readRegistry(queue), () => adoptions)
}

function joined(registrations: ReadonlyMap<string, TopicRegistration>, adoptions: () => Adoptions): TopicContents {
  return {
    registrations,
    get: (topic) => registrations.get(topic) ?? adoptions().get(topic),
    values: () => [
      ...registrations.values(),
      ...[...adoptions().values()].filter(({ topic }) => !registrations.has(topic)),
    ],
  }
}
