import { type QueueRecord, UserError } from '@headrace/queue'
import { LRUCache } from 'lru-cache'
import type { Adoption } from '../adoption/adoption.ts'
import type { AvroType } from '../avro/avro-schema.ts'
import { AvroSource } from '../avro/avro-source.ts'
import { createAvroValueSchema } from '../avro/avro-value-schema.ts'
import { createAvroWriter, type WriteAvro } from '../avro/avro-writer.ts'
import { parseAvroSchema } from '../avro/parse-avro-schema.ts'
import { compilerOf } from '../record-filter/filter-compiler.ts'
import { parseJson } from '../record-filter/json.ts'
import { createDocumentTerms } from '../record-filter/topic-terms.ts'
import { JsonWriter } from '../record-json/json-writer.ts'
import { createEnvelope } from '../record-json/record-envelope.ts'
import { parseKnownNames } from '../record-json/record-fields.ts'
import type { SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import { createFramingReader } from './framing.ts'
import type { TopicFormat } from './topic-format.ts'
import { createWriterSchemas } from './writer-schemas.ts'

/** Resolved schemas of writers that a renderer keeps. */
const keptWriters = 100

/**
 * Each value is read with the schema that it was written with, and resolved to that of the adoption. One that cannot be
 * resolved is rendered as it was written: another type of record, or an incompatible change.
 */
export function createAvroFormat(adoption: Adoption, registry: SchemaRegistryClient | undefined): TopicFormat {
  const { topic, bytes, keyForm, schema, references } = adoption
  const type = parseOwn(topic, { text: schema!, references })
  const readFraming = createFramingReader(adoption)
  const writers =
    registry &&
    createWriterSchemas(registry, readFraming, (written): AvroType => {
      if (written.type !== 'AVRO') throw new Error(`it is of type ${written.type}`)
      return parseAvroSchema({ text: written.text, references: [...written.referenced.values()] })
    })

  function createWriter(out: JsonWriter, target: AvroType, quotesLongs: boolean) {
    const source = new AvroSource(out, bytes, quotesLongs)
    const made = new LRUCache<AvroType, WriteAvro>({ max: keptWriters })
    const writerOf = (written: AvroType): WriteAvro => {
      const known = made.get(written)
      if (known) return known
      const write = resolve(written, target, { bytes, quotesLongs })
      made.set(written, write)
      return write
    }
    return (record: QueueRecord, value: Uint8Array): void => {
      const { schema: id, start } = readFraming(record, value)
      const write = writerOf(id === undefined || !writers ? type : writers.get(id))
      source.open(value, start)
      write(source, 0)
      source.close()
    }
  }

  return {
    createRenderer({ fields, cursorsOf } = {}) {
      const out = new JsonWriter()
      const writeValue = createWriter(out, withOnly(type, fields), true)
      return createEnvelope({ out, topic, bytes, cursorsOf, keyForm, writeValue })
    },
    createFilterCompiler() {
      const out = new JsonWriter()
      const write = createWriter(out, type, false)
      return compilerOf(
        createDocumentTerms({ keyForm, bytes }, (record, value) => {
          out.reset()
          write(record, value)
          return parseJson(out.bytes.toString('utf8', 0, out.length))
        }),
      )
    },
    parseFields(text) {
      if (type.kind === 'record')
        return parseKnownNames(
          text,
          type.name,
          type.fields.map(({ name }) => name),
        )
      throw new UserError('invalid_fields', `Records of ${topic} have one value each, without fields.`)
    },
    describe: () => ({ avro: schema!, jsonSchema: createAvroValueSchema(type, bytes) }),
    ...(writers && { prepare: writers.prepare }),
  }
}

function parseOwn(topic: string, text: Parameters<typeof parseAvroSchema>[0]): AvroType {
  try {
    return parseAvroSchema(text)
  } catch (cause) {
    throw new UserError(
      'invalid_schema',
      `The schema of the adopted topic "${topic}" cannot be used: ${(cause as Error).message}. Adopt it again.`,
      { cause },
    )
  }
}

function resolve(written: AvroType, target: AvroType, options: Parameters<typeof createAvroWriter>[2]): WriteAvro {
  try {
    return createAvroWriter(written, target, options)
  } catch {
    return createAvroWriter(written, written, options)
  }
}

/** Fields that a reader does not have are skipped. */
function withOnly(type: AvroType, names: readonly string[] | undefined): AvroType {
  if (!names || type.kind !== 'record') return type
  return { ...type, fields: type.fields.filter(({ name }) => names.includes(name)) }
}
