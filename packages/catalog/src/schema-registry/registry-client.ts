import { readReferenced } from './referenced-schemas.ts'
import { guidForm, isWhole, readSchemaAnswer, type SchemaAnswer, type SchemaDefinition } from './registered-schema.ts'
import { parseRegistryUrl } from './registry-address.ts'
import { invalidAnswer, registryRefused, UnknownSchemaError } from './registry-error.ts'
import { createRegistryRequest, type RegistryAnswer, type RegistryRequestOptions } from './registry-request.ts'

export interface SchemaRegistryOptions extends RegistryRequestOptions {
  /** `https://[user:password@]host[:port][/path]` */
  readonly url: string
  /** A bearer token, instead of user and password. */
  readonly token?: string | undefined
}

export interface RegisteredSchema extends SchemaAnswer {
  /** Text of each schema that it refers to, at any depth, by the name of the reference, dependencies first. */
  readonly referenced: ReadonlyMap<string, string>
}

export interface SubjectVersion {
  readonly id: number
  /** From 1. */
  readonly version: number
  readonly guid?: string
}

/**
 * Reads and registers schemas. Its answers are checked, not trusted. Each id and GUID is read once: a schema never
 * changes. Calls may be concurrent.
 *
 * Every function throws `schema_registry_unavailable` (a `RetryableError`, after all attempts), and the `UserError`
 * `schema_registry_refused` or `invalid_schema_registry_answer`. The reading ones throw an `UnknownSchemaError` if the
 * registry does not have the schema.
 */
export interface SchemaRegistryClient {
  /** Without credentials. */
  readonly url: string
  readById(id: number): Promise<RegisteredSchema>
  /** 32 hexadecimal digits with hyphens. Registries before Confluent Platform 8.0 do not know GUIDs. */
  readByGuid(guid: string): Promise<RegisteredSchema>
  /** `version` is from 1. */
  readVersion(subject: string, version: number | 'latest'): Promise<RegisteredSchema>
  /** `undefined`: the subject has no such schema. */
  find(subject: string, definition: SchemaDefinition): Promise<SubjectVersion | undefined>
  /** Referenced schemas must be registered before. Registering the same schema again changes nothing. */
  register(subject: string, definition: SchemaDefinition): Promise<SubjectVersion>
}

/** Number of schemas that are kept. */
const keptLimit = 1000

/**
 * A client of a registry with the API of Confluent: Confluent's, Karapace, Apicurio (`/apis/ccompat/v7`), Redpanda.
 *
 * @throws {UserError} `invalid_schema_registry_url`
 * @example
 * ```ts
 * const registry = createSchemaRegistryClient({ url: 'https://reader:secret@registry.example' })
 * const { type, text, referenced } = await registry.readVersion('orders-value', 'latest')
 * ```
 */
export function createSchemaRegistryClient({
  url: text,
  token,
  ...options
}: SchemaRegistryOptions): SchemaRegistryClient {
  const address = parseRegistryUrl(text, token)
  const { url } = address
  const request = createRegistryRequest(address, options)
  const kept = new Map<string, Promise<RegisteredSchema>>()
  const textsById = new Map<number, string>()

  return {
    url,
    readById: (id) => keep(`/schemas/ids/${id}`, { id }),
    readByGuid: (guid) => keep(`/schemas/guids/${guid.toLowerCase()}`, { guid: guid.toLowerCase() }),
    readVersion: async (subject, version) => {
      const wanted = { subject, ...(version !== 'latest' && { version }) }
      return withReferenced(`/subjects/${encodeURIComponent(subject)}/versions/${version}`, wanted)
    },
    find,
    async register(subject, definition) {
      const path = `/subjects/${encodeURIComponent(subject)}/versions`
      const answer = await request(path, requestBody(definition))
      if (answer.error)
        throw registryRefused(
          url,
          `the schema for the subject "${subject}" (error ${answer.error.code}): ${answer.error.message}`,
        )
      const { id } = Object(answer.body) as { readonly id?: unknown }
      const registered = await find(subject, definition)
      if (!registered || registered.id !== id)
        throw invalidAnswer(url, path, `it registered the id ${id}, and finds ${registered?.id ?? 'none'} afterwards`)
      return registered
    },
  }

  async function find(subject: string, definition: SchemaDefinition): Promise<SubjectVersion | undefined> {
    const path = `/subjects/${encodeURIComponent(subject)}`
    const answer = await request(path, requestBody(definition))
    if (isNotFound(path, answer)) return undefined
    const { id, version, guid } = checkSchema(path, answer, { subject })
    if (id === undefined || version === undefined) throw invalidAnswer(url, path, '"id" or "version" is absent')
    return { id, version, ...(guid !== undefined && { guid }) }
  }

  function keep(path: string, wanted: Wanted): Promise<RegisteredSchema> {
    if (wanted.id !== undefined && !isWhole(wanted.id)) return Promise.reject(unknown(path))
    if (wanted.guid !== undefined && !guidForm.test(wanted.guid)) return Promise.reject(unknown(path))
    const known = kept.get(path)
    if (known) return known
    const reading = withReferenced(path, wanted)
    kept.set(path, reading)
    for (const oldest of kept.keys()) if (kept.size > keptLimit) kept.delete(oldest)
    reading.catch(() => kept.delete(path))
    return reading
  }

  async function withReferenced(path: string, wanted: Wanted): Promise<RegisteredSchema> {
    const schema = await readSchema(path, wanted)
    // A schema stays valid although one that it refers to is deleted.
    const referenced = await readReferenced(
      schema,
      ({ subject, version }) =>
        readSchema(`/subjects/${encodeURIComponent(subject)}/versions/${version}?deleted=true`, { subject, version }),
      (found) => invalidAnswer(url, path, found),
    )
    return { ...schema, referenced }
  }

  async function readSchema(path: string, wanted: Wanted): Promise<SchemaAnswer> {
    const answer = await request(path)
    if (isNotFound(path, answer)) throw unknown(path)
    const schema = checkSchema(path, answer, wanted)
    checkUnchanged(path, schema)
    return schema
  }

  function checkSchema(path: string, { body, error }: RegistryAnswer, wanted: Wanted): SchemaAnswer {
    if (error) throw invalidAnswer(url, path, `error ${error.code}: ${error.message}`)
    const schema = readSchemaAnswer(body, (found) => invalidAnswer(url, path, found))
    // The answer for an id names any one of its subjects.
    for (const name of ['id', 'guid', 'subject', 'version'] as const)
      if (wanted[name] !== undefined && schema[name] !== undefined && schema[name] !== wanted[name])
        throw invalidAnswer(url, path, `its "${name}" is ${JSON.stringify(schema[name])}`)
    return { ...schema, ...wanted }
  }

  function checkUnchanged(path: string, { id, text }: SchemaAnswer): void {
    if (id === undefined) return
    const before = textsById.get(id)
    if (before !== undefined && before !== text)
      throw invalidAnswer(url, path, `the id ${id} was another schema before, and an id never changes`)
    textsById.set(id, text)
    for (const oldest of textsById.keys()) if (textsById.size > keptLimit) textsById.delete(oldest)
  }

  function unknown(path: string): UnknownSchemaError {
    const what = decodeURIComponent(path.replace(/\?.*/, ''))
    const remedy = what.startsWith('/schemas/guids/') ? ' Registries before Confluent Platform 8.0 know no GUIDs.' : ''
    return new UnknownSchemaError(`The schema registry ${url} has no schema at ${what}.${remedy}`)
  }
}

type Wanted = Partial<Pick<SchemaAnswer, 'id' | 'guid' | 'subject' | 'version'>>

function requestBody({ type, text, references }: SchemaDefinition): object {
  return { schemaType: type, schema: text, references }
}

/** 40401: no such subject. 40402: no such version. 40403: no such schema. 404: no such path. */
function isNotFound(path: string, { status, error }: RegistryAnswer): boolean {
  if (status !== 404) return false
  return [40401, 40402, 40403].includes(error!.code) || (error!.code === 404 && path.startsWith('/schemas/guids/'))
}
