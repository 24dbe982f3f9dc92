import type { Queue } from '@headrace/queue'
import { systemTopics } from '../system-topics/system-topics.ts'
import { registeredProjectId } from './check-project.ts'
import { checkRegistrations } from './check-registrations.ts'
import { withEarlierForms } from './earlier-form.ts'
import { isOlderLineage } from './lineage-order.ts'
import { readRegistrations } from './read-registry.ts'
import { encodeRegistration, type TopicRegistration } from './registration.ts'

type Registrations = ReadonlyMap<string, TopicRegistration>

export interface RegisterTopicsOptions {
  /** The newest unit that is published, given by the run that publishes the next one. */
  readonly lastUnit?: number
}

/**
 * Writes registrations to the registry, those that changed only. Topics of an older lineage that carried the same
 * message are given the new one as their successor, and keep it. How records were made before is kept too.
 *
 * Of several that register at the same moment and exclude each other, the one whose records come first in the registry
 * stands. The others are refused, and what they have replaced is put back.
 *
 * @throws {UserError} `registration_refused`, `incompatible_schema`: as `checkTopics` says, for what has been registered
 *   since.
 * @throws {UnknownTopicError} there is no registry yet: create the system topics first.
 */
export async function registerTopics(
  queue: Queue,
  wanted: readonly TopicRegistration[],
  { lastUnit }: RegisterTopicsOptions = {},
): Promise<void> {
  const existing = new Map<string, TopicRegistration>()
  const end = await readRegistrations(queue, (registration) => existing.set(registration.topic, registration))
  checkRegistrations(existing, wanted)
  const kept = wanted.map((registration) => {
    const before = existing.get(registration.topic)
    return withEarlierForms(keepSuccessor(registration, before), { before, lastUnit })
  })
  const changed = [...kept, ...superseded(existing, wanted)].filter((registration) => {
    const before = existing.get(registration.topic)
    return !before || !isSame(before, registration)
  })
  if (changed.length === 0) return
  await append(queue, changed)
  await yieldToEarlier(queue, { existing, end, wanted, written: changed })
}

/** A connector of an older lineage does not know that it was superseded. */
function keepSuccessor(registration: TopicRegistration, before: TopicRegistration | undefined): TopicRegistration {
  const { successor } = before ?? {}
  return successor === undefined ? registration : { ...registration, successor }
}

function superseded(existing: Registrations, wanted: readonly TopicRegistration[]): TopicRegistration[] {
  return [...existing.values()]
    .filter((other) => other.successor === undefined)
    .flatMap((other) => {
      const heir = wanted.find((one) => one.message === other.message && isOlderLineage(other, one))
      return heir ? [{ ...other, successor: heir.topic }] : []
    })
}

async function append(queue: Queue, registrations: readonly TopicRegistration[]): Promise<void> {
  const time = Date.now()
  await queue.append(
    registrations.map((registration) => ({
      topic: systemTopics.registry,
      key: Buffer.from(registration.topic),
      value: encodeRegistration(registration),
      time,
    })),
  )
}

interface WrittenRegistrations {
  /** What was registered up to the offset `end`, before these were written. */
  readonly existing: Registrations
  readonly end: bigint
  readonly wanted: readonly TopicRegistration[]
  readonly written: readonly TopicRegistration[]
}

/** The registry has one partition, so all that have written to it see the same order. */
async function yieldToEarlier(queue: Queue, { existing, end, wanted, written }: WrittenRegistrations): Promise<void> {
  const standing = new Map(existing)
  let earlier: Registrations | undefined
  const note = (registration: TopicRegistration): void => {
    if (written.some((one) => isSame(one, registration))) earlier ??= new Map(standing)
    else if (isAllowed(standing, registration)) standing.set(registration.topic, registration)
  }
  await readRegistrations(queue, note, { from: end })
  try {
    checkRegistrations(earlier ?? standing, wanted)
  } catch (error) {
    const replaced = written.flatMap((one) => standing.get(one.topic) ?? withRegisteredId(standing, one))
    if (replaced.length > 0) await append(queue, replaced)
    throw error
  }
}

/** A topic that was not there before stays. With the id of the refused project it would let that one in the next time. */
function withRegisteredId(standing: Registrations, refused: TopicRegistration): TopicRegistration[] {
  const projectId = registeredProjectId(standing, refused.connector)
  return projectId === undefined || projectId === refused.projectId ? [] : [{ ...refused, projectId }]
}

/** One that is not will be put back by whoever wrote it. */
function isAllowed(standing: Registrations, registration: TopicRegistration): boolean {
  try {
    checkRegistrations(standing, [registration])
    return true
  } catch {
    return false
  }
}

/** All topics of a connector hold its whole schema: what is long is compared last. */
function isSame(one: TopicRegistration, other: TopicRegistration): boolean {
  return one.topic === other.topic && Buffer.compare(encodeRegistration(one), encodeRegistration(other)) === 0
}
