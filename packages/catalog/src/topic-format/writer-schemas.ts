import { setTimeout as wait } from 'node:timers/promises'
import { type QueueRecord, RetryableError } from '@headrace/queue'
import type { RegisteredSchema, SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import { UnknownSchemaError } from '../schema-registry/registry-error.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import type { ReadFraming } from './framing.ts'

/** The schemas that the values of a topic were written with, by the id or GUID in their frames. */
export interface WriterSchemas<Schema> {
  /** As `TopicFormat.prepare`. */
  prepare(records: Iterable<QueueRecord>): Promise<unknown> | undefined
  /**
   * @throws {MalformedMessageError} the registry has no such schema, or it cannot be used.
   * @throws {RetryableError} `prepare` was not called.
   */
  get(id: number | string): Schema
}

type Known<Schema> = { readonly schema: Schema } | { readonly problem: string; readonly until?: number }

/** Schemas that are kept. Beyond them, the oldest is forgotten. */
const keptLimit = 1000
/** Requests at once. */
const concurrency = 8
/** A producer may write before every node of the registry knows a new schema, in ms. */
const secondLookMs = 500
/** After this time an unknown schema is asked for again, in ms. */
const unknownMs = 30_000

/** @param parse - May throw: its message is shown to readers. */
export function createWriterSchemas<Schema>(
  registry: Pick<SchemaRegistryClient, 'readById' | 'readByGuid'>,
  readFraming: ReadFraming,
  parse: (schema: RegisteredSchema) => Schema | Promise<Schema>,
): WriterSchemas<Schema> {
  const known = new Map<number | string, Known<Schema>>()
  const reading = new Map<number | string, Promise<void>>()
  return {
    prepare(records) {
      const missing = new Set<number | string>()
      for (const record of records) {
        const id = schemaOf(record)
        if (id !== undefined && !isKnown(id)) missing.add(id)
      }
      return missing.size === 0 ? undefined : readAll(missing)
    },
    get(id) {
      const found = known.get(id)
      if (!found) throw new RetryableError('schema_registry_unavailable', `The schema ${id} has not been read yet.`)
      if ('problem' in found) throw new MalformedMessageError(found.problem)
      return found.schema
    },
  }

  function schemaOf(record: QueueRecord): number | string | undefined {
    if (record.value === null) return undefined
    try {
      return readFraming(record, record.value).schema
    } catch (error) {
      if (error instanceof MalformedMessageError) return undefined
      throw error
    }
  }

  function isKnown(id: number | string): boolean {
    const found = known.get(id)
    return found !== undefined && !('until' in found && found.until! < performance.now())
  }

  async function readAll(ids: Iterable<number | string>): Promise<void> {
    const next = [...ids].values()
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (const id of next) await readOnce(id)
      }),
    )
  }

  function readOnce(id: number | string): Promise<void> {
    const underWay = reading.get(id)
    if (underWay) return underWay
    const started = readInto(id).finally(() => reading.delete(id))
    reading.set(id, started)
    return started
  }

  async function readInto(id: number | string): Promise<void> {
    const found = await read(id)
      .catch(async (error) => {
        if (!(error instanceof UnknownSchemaError)) throw error
        await wait(secondLookMs)
        return read(id)
      })
      .catch((error) => {
        if (error instanceof UnknownSchemaError) return undefined
        throw error
      })
    known.delete(id)
    known.set(
      id,
      found
        ? await parsed(id, found)
        : { problem: `the schema registry has no schema ${id}`, until: performance.now() + unknownMs },
    )
    for (const oldest of known.keys()) if (known.size > keptLimit) known.delete(oldest)
  }

  function read(id: number | string): Promise<RegisteredSchema> {
    return typeof id === 'number' ? registry.readById(id) : registry.readByGuid(id)
  }

  async function parsed(id: number | string, schema: RegisteredSchema): Promise<Known<Schema>> {
    try {
      return { schema: await parse(schema) }
    } catch (error) {
      return { problem: `its schema ${id} cannot be used: ${(error as Error).message}` }
    }
  }
}
