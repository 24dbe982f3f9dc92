import type { DescMessage } from '@bufbuild/protobuf'
import type { Queue } from '@headrace/queue'
import { messagesWithin, schemaFromDescriptors } from '../schema/schema-set.ts'
import { systemTopics } from '../system-topics/system-topics.ts'
import { checkRegistrations, registeredProjectId } from './check-registrations.ts'
import { earlierSchemaKey, encodeEarlierSchema } from './earlier-schema.ts'
import {
  type EarlierForm,
  encodeRegistration,
  isOlderLineage,
  type Registrations,
  readRegistrations,
  type TopicRegistration,
} from './registration.ts'
import { schemaVersions, topicSchema } from './topic-schema.ts'

export interface RegisterTopicsOptions {
  /** The newest published unit, if a run registers. */
  readonly lastUnit?: number
}

/**
 * Topics of an older lineage with the same message get a successor. Of concurrent callers with conflicting topics, the
 * first one in the registry wins; the others are refused, and restore what they had replaced.
 *
 * @throws {UserError} `registration_refused`, `incompatible_schema`: as `checkTopics`
 * @throws {UnknownTopicError} there is no registry yet.
 */
export async function registerTopics(
  queue: Queue,
  wanted: readonly TopicRegistration[],
  { lastUnit }: RegisterTopicsOptions = {},
): Promise<void> {
  const existing = new Map<string, TopicRegistration>()
  const end = await readRegistrations(queue, (registration) => existing.set(registration.topic, registration))
  checkRegistrations(existing, wanted)
  const written = changes(existing, wanted, lastUnit)
  if (written.length === 0) return
  await append(queue, written, existing)
  await resolveConflicts(queue, { existing, end, wanted, written, lastUnit })
}

function changes(
  existing: Registrations,
  wanted: readonly TopicRegistration[],
  lastUnit: number | undefined,
): TopicRegistration[] {
  const kept = wanted.map((registration) => {
    const before = existing.get(registration.topic)
    return before ? replace(before, registration, lastUnit) : registration
  })
  return [...kept, ...superseded(existing, wanted)].filter((registration) => {
    const before = existing.get(registration.topic)
    return !before || !isSame(before, registration)
  })
}

function replace(before: TopicRegistration, registration: TopicRegistration, lastUnit?: number): TopicRegistration {
  // A connector of an older lineage does not know its successor.
  const { successor = registration.successor } = before
  const earlier = earlierForms(before, registration, lastUnit)
  const schemas = hasSameSchema(before, registration) ? before.schemas : versionsAfter(before, registration)
  return {
    ...registration,
    ...(successor !== undefined && { successor }),
    ...(earlier.length > 0 && { earlier }),
    ...(schemas && { schemas }),
  }
}

function hasSameSchema(one: TopicRegistration, other: TopicRegistration): boolean {
  if (one.message === other.message && Buffer.compare(one.descriptors, other.descriptors) === 0) return true
  return topicSchema(one).guid === topicSchema(other).guid
}

/** As in Confluent's registry, a schema that a topic has again keeps its version. */
function versionsAfter(before: TopicRegistration, registration: TopicRegistration): string[] {
  return [...new Set([...schemaVersions(before), topicSchema(registration).guid])]
}

function earlierForms(before: TopicRegistration, registration: TopicRegistration, lastUnit?: number): EarlierForm[] {
  const forms = [...(before.earlier ?? []), ...(isSameForm(before, registration) ? [] : [formOf(before)])]
  const closed = lastUnit === undefined ? forms : forms.map((one) => ({ ...one, lastUnit: one.lastUnit ?? lastUnit }))
  // A form without units was never used.
  return closed.filter((form, at) => form.lastUnit === undefined || form.lastUnit > (closed[at - 1]?.lastUnit ?? 0))
}

function isSameForm(one: TopicRegistration, other: TopicRegistration): boolean {
  if (one.key !== other.key || one.time !== other.time || one.message !== other.message) return false
  if (Buffer.compare(one.descriptors, other.descriptors) === 0) return true
  return JSON.stringify(formOf(one).fields) === JSON.stringify(formOf(other).fields)
}

function formOf({ key, time, message, descriptors }: TopicRegistration): EarlierForm {
  const type = schemaFromDescriptors(descriptors).message(message)
  const numbersOf = ({ fields }: DescMessage) => fields.map(({ number }) => number).sort((one, other) => one - other)
  const types = type ? [...messagesWithin(type)] : []
  const fields = Object.fromEntries(types.map((one) => [one.typeName, numbersOf(one)]))
  return { ...(key !== undefined && { key }), ...(time !== undefined && { time }), fields }
}

function superseded(existing: Registrations, wanted: readonly TopicRegistration[]): TopicRegistration[] {
  return [...existing.values()]
    .filter((other) => other.successor === undefined)
    .flatMap((other) => {
      const next = wanted.find((one) => one.message === other.message && isOlderLineage(other, one))
      return next ? [{ ...other, successor: next.topic }] : []
    })
}

/** The schemas that they replace are before them, so that each can be found at any time. */
async function append(
  queue: Queue,
  registrations: readonly TopicRegistration[],
  replaced: Registrations = new Map(),
): Promise<void> {
  const time = Date.now()
  const earlier = registrations.flatMap((registration) => {
    const before = replaced.get(registration.topic)
    return before && !hasSameSchema(before, registration) ? [[topicSchema(before).guid, before] as const] : []
  })
  const entries = [
    ...[...new Map(earlier)].map(([guid, schema]) => [earlierSchemaKey(guid), encodeEarlierSchema(schema)] as const),
    ...registrations.map((one) => [Buffer.from(one.topic), encodeRegistration(one)] as const),
  ]
  await queue.append(entries.map(([key, value]) => ({ topic: systemTopics.registry, key, value, time })))
}

interface WrittenRegistrations {
  /** Up to the offset `end`, before `written` was appended. */
  readonly existing: Registrations
  readonly end: bigint
  readonly wanted: readonly TopicRegistration[]
  readonly written: readonly TopicRegistration[]
  readonly lastUnit: number | undefined
}

/** The registry has one partition, so all writers see the same order. */
async function resolveConflicts(
  queue: Queue,
  { existing, end, wanted, written, lastUnit }: WrittenRegistrations,
): Promise<void> {
  const accepted = new Map(existing)
  let earlier: Registrations | undefined
  const note = (registration: TopicRegistration): void => {
    if (written.some((one) => isSame(one, registration))) earlier ??= new Map(accepted)
    else if (isAllowed(accepted, registration)) accepted.set(registration.topic, registration)
  }
  await readRegistrations(queue, note, end)
  const before = earlier ?? accepted
  try {
    checkRegistrations(before, wanted)
  } catch (error) {
    const replaced = written.flatMap((one) => accepted.get(one.topic) ?? withRegisteredId(accepted, one))
    if (replaced.length > 0) await append(queue, replaced)
    throw error
  }
  // What others registered in between is part of the history of its topic.
  const merged = changes(before, wanted, lastUnit).filter(
    (one) => before.get(one.topic) !== existing.get(one.topic) && !written.some((other) => isSame(one, other)),
  )
  if (merged.length > 0) await append(queue, merged, before)
}

/** With the id of the refused project, that project would be accepted the next time. */
function withRegisteredId(accepted: Registrations, refused: TopicRegistration): TopicRegistration[] {
  const projectId = registeredProjectId(accepted, refused.connector)
  return projectId === undefined || projectId === refused.projectId ? [] : [{ ...refused, projectId }]
}

/** The writer of a refused registration replaces it. */
function isAllowed(accepted: Registrations, registration: TopicRegistration): boolean {
  try {
    checkRegistrations(accepted, [registration])
    return true
  } catch {
    return false
  }
}

/** Compares names first: registrations contain the whole schema. */
function isSame(one: TopicRegistration, other: TopicRegistration): boolean {
  return one.topic === other.topic && Buffer.compare(encodeRegistration(one), encodeRegistration(other)) === 0
}
