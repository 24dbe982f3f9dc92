import { setTimeout as delay } from 'node:timers/promises'
import {
  followTable,
  type Logger,
  type PartitionOffset,
  type Queue,
  readTable,
  UnknownTopicError,
  UserError,
} from '@headrace/queue'
import type { Manifest, ManifestTopic, Project } from '../manifest/manifest.ts'
import type { ConnectorTopic } from '../manifest/resolve-topics.ts'
import { isObject, parseValue, systemTopics } from '../system-topics/system-topics.ts'
import { compareVersions, parseVersion } from '../topic-name/version.ts'
import { decodeEarlierSchema, type EarlierSchema, earlierSchemaGuid, isTopicKey } from './earlier-schema.ts'

/** Full name of a message → numbers of its fields. */
export type FieldNumbers = Readonly<Record<string, readonly number[]>>

/** How records were made before a change. Part of the newest registration, because the registry is compacted. */
export interface EarlierForm extends Pick<ManifestTopic, 'key' | 'time'> {
  /** Absent until a run has published in a newer form. */
  readonly lastUnit?: number
  readonly fields: FieldNumbers
}

/** The value of a record in `_headrace.registry` whose key is the topic. */
export interface TopicRegistration
  extends EarlierSchema,
    Pick<ManifestTopic, 'message' | 'key' | 'time' | 'bytes' | 'partitions'> {
  /** `<owner>.<package>.<major>_<minor>_<patch>` */
  readonly lineage: string
  readonly instance: string
  readonly connector: Pick<Manifest, 'owner' | 'package' | 'version' | 'title'>
  readonly projectId?: string
  /** As in the manifest: `30d`, `10GiB`. Absent: all records are kept, or an older version has registered the topic. */
  readonly retention?: string
  /** A serialized `google.protobuf.FileDescriptorSet` with all imports, dependencies first. */
  readonly descriptors: Uint8Array
  /** The topic of a newer lineage with the same message. */
  readonly successor?: string
  /** Oldest first. */
  readonly earlier?: readonly EarlierForm[]
  /** GUIDs of all schemas that it has had, each once, in the order of their versions. Absent for one. */
  readonly schemas?: readonly string[]
}

/** By topic. */
export type Registrations = ReadonlyMap<string, TopicRegistration>

/** The members of a registration, in the order in which they are stored. */
const members = [
  ...(['topic', 'lineage', 'instance', 'connector', 'projectId', 'message', 'key', 'time', 'bytes'] as const),
  ...(['partitions', 'retention', 'successor', 'earlier', 'schemas'] as const),
]
const connectorMembers = ['owner', 'package', 'version', 'title'] as const

/** Equal registrations give equal bytes. */
export function encodeRegistration(registration: TopicRegistration): Uint8Array {
  const { connector, descriptors } = registration
  const json = {
    ...pick(registration, members),
    connector: pick(connector, connectorMembers),
    descriptors: Buffer.from(descriptors).toString('base64'),
  }
  return Buffer.from(JSON.stringify(json))
}

function pick(from: object, names: readonly string[]): Record<string, unknown> {
  const values = from as Readonly<Record<string, unknown>>
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}

/** Topics of a project are registered one after the other. They share their descriptors, which are then parsed once. */
function createDecoder(): (value: Uint8Array) => TopicRegistration {
  let last: Uint8Array = new Uint8Array()
  return (value) => {
    const registration = decodeRegistration(value)
    if (Buffer.compare(registration.descriptors, last) !== 0) last = registration.descriptors
    return { ...registration, descriptors: last }
  }
}

/** Ignores unknown members. */
export function decodeRegistration(value: Uint8Array): TopicRegistration {
  const json = parseValue(value, invalid)
  const connector = json.connector as Record<string, unknown>
  for (const member of ['topic', 'lineage', 'instance', 'message', 'descriptors'])
    if (typeof json[member] !== 'string') throw invalid(`"${member}" must be a string`)
  for (const member of ['projectId', 'key', 'time', 'retention', 'successor'])
    if (json[member] !== undefined && typeof json[member] !== 'string') throw invalid(`"${member}" must be a string`)
  for (const member of ['owner', 'package', 'version'])
    if (typeof connector?.[member] !== 'string') throw invalid(`"connector.${member}" must be a string`)
  if (!parseVersion(connector.version as string)) throw invalid('"connector.version" must be a version such as 1.0.0')
  if (!/\.\d+_\d+_\d+$/.test(json.lineage as string)) throw invalid('"lineage" must end with a version such as 1_0_0')
  if (json.bytes !== 'hex' && json.bytes !== 'base64') throw invalid('"bytes" must be "hex" or "base64"')
  if (json.earlier !== undefined && !(Array.isArray(json.earlier) && json.earlier.every(isEarlierForm)))
    throw invalid('"earlier" must be a list of forms')
  if (
    json.schemas !== undefined &&
    !(Array.isArray(json.schemas) && json.schemas.every((one) => typeof one === 'string'))
  )
    throw invalid('"schemas" must be a list of GUIDs')
  if (!Number.isInteger(json.partitions)) throw invalid('"partitions" must be a whole number')
  const { title, ...named } = pick(connector, connectorMembers)
  return {
    ...pick(json, members),
    connector: { ...named, ...(typeof title === 'string' && { title }) },
    descriptors: Buffer.from(json.descriptors as string, 'base64'),
  } as unknown as TopicRegistration
}

function isEarlierForm(form: unknown): boolean {
  if (!isObject(form)) return false
  const { lastUnit, key, time, fields } = form
  if (lastUnit !== undefined && !Number.isSafeInteger(lastUnit)) return false
  if (![key, time].every((name) => name === undefined || typeof name === 'string')) return false
  return isObject(fields) && Object.values(fields).every(Array.isArray)
}

function invalid(what: string, options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_registration',
    `A record of "_headrace.registry" cannot be read: ${what}. ` +
      'Another version may have written it: use that version, or a newer one. If it is damaged, register the topic again.',
    options,
  )
}

/**
 * Empty if there is no registry yet.
 *
 * @throws {UserError} `invalid_registration`
 */
export async function readRegistry(queue: Queue): Promise<Map<string, TopicRegistration>> {
  const registrations = new Map<string, TopicRegistration>()
  try {
    await readRegistrations(queue, (registration) => registrations.set(registration.topic, registration))
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
  }
  return registrations
}

/** By GUID. Those that topics had before, not those that they have. */
export async function readEarlierSchemas(queue: Queue): Promise<Map<string, EarlierSchema>> {
  const schemas = new Map<string, EarlierSchema>()
  await readTable(queue, await startOfRegistry(queue), ({ key, value }) => {
    const guid = earlierSchemaGuid(key)
    const schema = guid === undefined || value === null ? undefined : decodeEarlierSchema(value)
    if (schema) schemas.set(guid!, schema)
  })
  return schemas
}

/** Returns the offset after the end. By default it begins at the earliest one. */
export async function readRegistrations(
  queue: Queue,
  onRegistration: (registration: TopicRegistration) => void,
  from?: bigint,
): Promise<bigint> {
  const start = await startOfRegistry(queue)
  const decode = createDecoder()
  return readTable(queue, { ...start, offset: from ?? start.offset }, ({ key, value }) => {
    // Topics are never removed from the registry.
    if (value && isTopicKey(key)) onRegistration(decode(value))
  })
}

async function startOfRegistry(queue: Queue): Promise<PartitionOffset> {
  const [topic] = await queue.describe([systemTopics.registry])
  if (!topic) throw new UnknownTopicError(systemTopics.registry)
  return { topic: topic.name, partition: 0, offset: topic.partitions[0]!.earliest }
}

/** Live maps. */
export interface FollowedRegistry {
  /** By topic. */
  readonly registrations: Registrations
  /** By GUID. */
  readonly earlierSchemas: ReadonlyMap<string, EarlierSchema>
  /**
   * Waits until everything that was registered before the call is in the maps, at most 5 s. Returns whether anything was
   * missing.
   */
  catchUp(): Promise<boolean>
}

const longestCatchUpMs = 5_000
const catchUpStepMs = 10

/**
 * Follows the registry until the signal is aborted. It has every topic that was registered before the call.
 *
 * @throws {UnknownTopicError} there is no registry yet.
 * @throws {UserError} `invalid_registration`
 */
export async function followRegistry(
  queue: Queue,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<FollowedRegistry> {
  const earlierSchemas = new Map<string, EarlierSchema>()
  const decode = createDecoder()
  let end = 0n
  const registrations = await followTable(queue, {
    ...options,
    topic: systemTopics.registry,
    decode({ key, value, offset }) {
      end = offset + 1n
      const guid = earlierSchemaGuid(key)
      if (isTopicKey(key)) return decode(value!)
      const schema = guid === undefined ? undefined : decodeEarlierSchema(value!)
      if (schema) earlierSchemas.set(guid!, schema)
      return undefined
    },
  })
  return { registrations, earlierSchemas, catchUp }

  async function catchUp(): Promise<boolean> {
    const wanted = await queue.highWatermark(systemTopics.registry, 0)
    if (end >= wanted) return false
    for (let waitedMs = 0; end < wanted && waitedMs < longestCatchUpMs; waitedMs += catchUpStepMs)
      await delay(catchUpStepMs, undefined, { signal: options.signal })
    return true
  }
}

export function isOlderLineage(other: TopicRegistration, wanted: TopicRegistration): boolean {
  return isSameInstance(other, wanted) && compareVersions(lineageVersion(other), lineageVersion(wanted)) < 0
}

/** The id of the writer of a topic, as of its connector instance. */
export function writerIdOf({ lineage, instance }: Pick<TopicRegistration, 'lineage' | 'instance'>): string {
  return `${lineage}/${instance}`
}

/** Whatever its version. */
export function isSameInstance({ connector, instance }: TopicRegistration, other: TopicRegistration): boolean {
  const { owner, package: name } = other.connector
  return connector.owner === owner && connector.package === name && instance === other.instance
}

/** `1.0.0` of `acme.evm.1_0_0` */
export function lineageVersion({ lineage }: Pick<TopicRegistration, 'lineage'>): string {
  return lineage.slice(lineage.lastIndexOf('.') + 1).replaceAll('_', '.')
}

export function topicRegistrations(
  project: Project,
  instance: string,
  topics: readonly ConnectorTopic[],
): TopicRegistration[] {
  const { owner, package: name, version, title, id } = project.manifest
  return topics.map(({ name: topic, message, key, time, bytes, partitions, retention }) => ({
    topic,
    lineage: project.lineage,
    instance,
    connector: { owner, package: name, version, ...(title !== undefined && { title }) },
    ...(id !== undefined && { projectId: id }),
    message,
    descriptors: project.schema.descriptors,
    bytes,
    partitions,
    ...(key !== undefined && { key }),
    ...(time !== undefined && { time }),
    ...(retention !== 'forever' && { retention }),
  }))
}
