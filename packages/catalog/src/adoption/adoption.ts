import { setTimeout as wait } from 'node:timers/promises'
import {
  followTable,
  type Logger,
  type Queue,
  type QueueRecord,
  readTable,
  UnknownTopicError,
  UserError,
} from '@headrace/queue'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { parseValue } from '../system-topics/system-topics.ts'

/** Not one of `systemTopics`: the first adoption creates it. */
const adoptedTopic = '_headrace.adopted'

export const adoptedFormats = ['protobuf', 'json', 'avro'] as const
/** `confluent`: values begin with a magic byte and the id of a schema, or have the header `__value_schema_id`. */
export const framings = ['raw', 'confluent'] as const
/** Forms of keys, see `KeyForm`. */
export const adoptedKeyForms = ['string', 'int', 'bytes'] as const

/**
 * A topic that other programs write. The value of a record in `_headrace.adopted`, whose key is the topic: software that
 * does not know these topics does not read that one.
 */
export interface Adoption {
  readonly topic: string
  readonly format: (typeof adoptedFormats)[number]
  readonly framing: (typeof framings)[number]
  readonly keyForm: (typeof adoptedKeyForms)[number]
  readonly bytes: BytesForm
  /** When it was adopted: Kafka adds partitions to a topic. */
  readonly partitions: number
  /** Full name of the protobuf message, or of the Avro type if it has a name. Absent for JSON. */
  readonly message?: string
  /** Of protobuf: a serialized `google.protobuf.FileDescriptorSet`, dependencies first. */
  readonly descriptors?: Uint8Array
  /** An Avro schema or a JSON Schema, as JSON text. */
  readonly schema?: string
  /** Of Avro: the schemas that it refers to, dependencies first. */
  readonly references?: readonly string[]
  /** The URL of the schema registry that has the writers' schemas, without credentials. */
  readonly schemaRegistry?: string
}

/** By topic. */
export type Adoptions = ReadonlyMap<string, Adoption>

/** `undefined` removes the adoption of the topic. The first one creates the topic of adoptions. */
export async function writeAdoption(queue: Queue, topic: string, adoption: Adoption | undefined): Promise<void> {
  await queue.createTopics([{ name: adoptedTopic, cleanup: 'compact' }])
  const value = adoption === undefined ? null : encodeAdoption(adoption)
  await queue.append([{ topic: adoptedTopic, key: Buffer.from(topic), value, time: Date.now() }])
}

/**
 * Empty if no topic was ever adopted, or without the permission to read adoptions, which nobody needs who does not use
 * them.
 *
 * @throws {UserError} `invalid_registration`
 */
export async function readAdoptions(queue: Queue): Promise<Map<string, Adoption>> {
  const adoptions = new Map<string, Adoption>()
  try {
    const [topic] = await queue.describe([adoptedTopic])
    if (!topic) return adoptions
    const place = { topic: adoptedTopic, partition: 0, offset: topic.partitions[0]!.earliest }
    await readTable(queue, place, ({ key, value }) => {
      const name = Buffer.from(key!).toString()
      if (value) adoptions.set(name, decodeAdoption(value))
      else adoptions.delete(name)
    })
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  return adoptions
}

function isAbsent(error: unknown): boolean {
  return error instanceof UnknownTopicError || (error instanceof UserError && error.code === 'permission_denied')
}

export interface FollowedAdoptions {
  /** Live. */
  current(): Adoptions
}

/** How soon the first adoption is found, in ms. */
const retryMs = 2000

/**
 * Follows the adoptions until the signal is aborted. There are none, as for `readAdoptions`, until their topic can be
 * read.
 *
 * @throws {UserError} `invalid_registration`
 */
export async function followAdoptions(
  queue: Queue,
  options: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<FollowedAdoptions> {
  const { signal, log } = options
  let adoptions: Adoptions = new Map()
  if (!(await begin())) void beginLater()
  return { current: () => adoptions }

  async function begin(): Promise<boolean> {
    const decode = ({ value }: QueueRecord) => decodeAdoption(value!)
    try {
      adoptions = await followTable(queue, { ...options, topic: adoptedTopic, decode })
      return true
    } catch (error) {
      if (isAbsent(error)) return false
      throw error
    }
  }

  async function beginLater(): Promise<void> {
    for (let hasBegun = false; !hasBegun && !signal.aborted; ) {
      await wait(retryMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      hasBegun = await begin().catch((error: unknown) => {
        log.warn({ topic: adoptedTopic, err: error }, 'adopted topics cannot be read, trying again')
        return false
      })
    }
  }
}

function encodeAdoption({ descriptors, ...adoption }: Adoption): Uint8Array {
  const base64 = descriptors && Buffer.from(descriptors).toString('base64')
  return Buffer.from(JSON.stringify({ ...adoption, ...(base64 !== undefined && { descriptors: base64 }) }))
}

/** Ignores unknown members. */
export function decodeAdoption(value: Uint8Array): Adoption {
  const json = parseValue(value, invalid)
  if (typeof json.topic !== 'string') throw invalid('"topic" must be a string')
  for (const member of ['message', 'descriptors', 'schema', 'schemaRegistry'])
    if (json[member] !== undefined && typeof json[member] !== 'string') throw invalid(`"${member}" must be a string`)
  const allowed = { format: adoptedFormats, framing: framings, keyForm: adoptedKeyForms, bytes: ['hex', 'base64'] }
  for (const [member, values] of Object.entries(allowed))
    if (!(values as readonly unknown[]).includes(json[member]))
      throw invalid(`"${member}" must be one of ${values.join(', ')}`)
  if (!Number.isInteger(json.partitions)) throw invalid('"partitions" must be a whole number')
  const {
    topic,
    format,
    framing,
    keyForm,
    bytes,
    partitions,
    message,
    descriptors,
    schema,
    schemaRegistry,
    references,
  } = json
  if (references !== undefined && !isTexts(references)) throw invalid('"references" must be a list of texts')
  if (format === 'protobuf' && (message === undefined || descriptors === undefined))
    throw invalid('"message" or "descriptors" is missing')
  if (format === 'avro' && schema === undefined) throw invalid('"schema" is missing')
  return {
    ...{ topic, format, framing, keyForm, bytes, partitions },
    ...(message !== undefined && { message }),
    ...(descriptors !== undefined && { descriptors: Buffer.from(descriptors as string, 'base64') }),
    ...(schema !== undefined && { schema }),
    ...(schemaRegistry !== undefined && { schemaRegistry }),
    ...(references !== undefined && { references }),
  } as unknown as Adoption
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function invalid(what: string, options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_registration',
    `A record of "${adoptedTopic}" cannot be read: ${what}. Adopt the topic again with a current version.`,
    options,
  )
}
