import type { DescMessage } from '@bufbuild/protobuf'
import { type QueueRecord, UserError } from '@headrace/queue'
import { LRUCache } from 'lru-cache'
import type { Adoption } from '../adoption/adoption.ts'
import { compilerOf } from '../record-filter/filter-compiler.ts'
import { createTopicTerms } from '../record-filter/topic-terms.ts'
import { JsonWriter } from '../record-json/json-writer.ts'
import { createMessageWriter, type MessageWriter } from '../record-json/message-writer.ts'
import { createEnvelope } from '../record-json/record-envelope.ts'
import { parseFieldsOf } from '../record-json/record-fields.ts'
import { createValueSchema } from '../record-json/value-schema.ts'
import { formatProto } from '../schema/format-proto.ts'
import { type SchemaSet, schemaFromDescriptors } from '../schema/schema-set.ts'
import type { SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import { createFramingReader } from './framing.ts'
import { compileRegistered, messageAt, type ProtoWithFile } from './registered-protos.ts'
import type { TopicFormat } from './topic-format.ts'
import { createWriterSchemas } from './writer-schemas.ts'

/** Writers of other messages than the newest that a renderer keeps. */
const keptWriters = 100

/**
 * Each value is rendered with the schema that it was written with, if a registry has them. Filters and fields use the
 * schema of the adoption.
 */
export function createProtobufFormat(adoption: Adoption, registry: SchemaRegistryClient | undefined): TopicFormat {
  const { topic, bytes, keyForm } = adoption
  const schema = schemaFromDescriptors(adoption.descriptors!)
  const message = schema.message(adoption.message!)
  if (!message)
    throw new UserError(
      'invalid_schema',
      `The schema of the adopted topic "${topic}" has no message "${adoption.message}". Adopt it again.`,
    )
  const readFraming = createFramingReader(adoption)
  const writers = registry && createWriterSchemas(registry, readFraming, compileRegistered)
  const own: ProtoWithFile = { schema, file: message.file }

  /** What the message of a value is, and where. */
  function locate(record: QueueRecord, value: Uint8Array): Located {
    const { schema: id, start, indexes } = readFraming(record, value)
    if (id === undefined) return { schema, message: message!, start }
    const written = writers ? writers.get(id) : own
    return { schema: written.schema, message: messageAt(written.file, indexes), start }
  }

  return {
    createRenderer({ fields, cursorsOf } = {}) {
      const out = new JsonWriter()
      const made = new LRUCache<DescMessage, MessageWriter>({ max: keptWriters })
      const writerOf = ({ schema, message: written }: Located): MessageWriter => {
        const known = made.get(written)
        if (known) return known
        const named = fields?.filter((name) => written.fields.some((field) => field.name === name))
        const writer = createMessageWriter(out, { schema, message: written, bytes, fields: named })
        made.set(written, writer)
        return writer
      }
      return createEnvelope({
        ...{ out, topic, bytes, cursorsOf, keyForm },
        writeValue(record, value) {
          const located = locate(record, value)
          writerOf(located).write(value, located.start)
        },
        readValue(record, value) {
          const located = locate(record, value)
          return writerOf(located).read(value, located.start)
        },
      })
    },
    createFilterCompiler() {
      const messageIn = (record: QueueRecord, value: Uint8Array): number => {
        const { message: written, start } = locate(record, value)
        if (written.typeName !== message.typeName) throw new MalformedMessageError('it is another message')
        return start
      }
      return compilerOf(createTopicTerms({ message, keyForm, bytes, messageIn }))
    },
    parseFields: (text) => parseFieldsOf(topic, message, text),
    describe: () => ({
      proto: formatProto(message),
      descriptors: adoption.descriptors!,
      jsonSchema: createValueSchema(message, bytes),
    }),
    ...(writers && { prepare: writers.prepare }),
  }
}

interface Located {
  readonly schema: SchemaSet
  readonly message: DescMessage
  readonly start: number
}
