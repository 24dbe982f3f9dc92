import type { QueueRecord } from '@headrace/queue'
import type { FilterCompiler } from '../record-filter/filter-compiler.ts'
import type { RecordRenderer } from '../record-json/record-envelope.ts'
import type { RecordRendererOptions } from '../record-json/record-renderer.ts'
import type { JsonSchema } from '../record-json/value-schema.ts'
import type { SchemaRegistryClient } from '../schema-registry/registry-client.ts'

/** How the records of a topic are read. Its readers know no other thing about their format. */
export interface TopicFormat {
  /** Not for concurrent use, as its parts reuse their buffers; it is synchronous. */
  createRenderer(options?: RecordRendererOptions): RecordRenderer
  createFilterCompiler(): FilterCompiler
  /**
   * Reads the names of `RecordRendererOptions.fields`, separated by commas.
   *
   * @throws {UserError} `invalid_fields`
   */
  parseFields(text: string): string[]
  describe(): TopicSchema
  /**
   * Reads what must be known before these records are rendered or filtered. Absent: nothing. Returns `undefined` if it is
   * known. Rejects, and must be called again later, while a schema registry gives no valid answer: that decides nothing
   * about a record.
   */
  prepare?(records: Iterable<QueueRecord>): Promise<unknown> | undefined
}

/** The schema of the values of a topic, and its text in the language of its format. */
export interface TopicSchema {
  readonly jsonSchema: JsonSchema
  /** A .proto file. */
  readonly proto?: string
  /** A serialized `google.protobuf.FileDescriptorSet`. */
  readonly descriptors?: Uint8Array
  /** An Avro schema, as JSON. */
  readonly avro?: string
}

export interface FormatContext {
  /** The client of a registry with this URL, the same one each time. Default: one without credentials. */
  schemaRegistry?(url: string): SchemaRegistryClient
}
