import { isAdopted, type TopicContent } from '../adoption/topic-contents.ts'
import { createFilterCompiler } from '../record-filter/filter-compiler.ts'
import { parseFields } from '../record-json/record-fields.ts'
import { createRecordRenderer } from '../record-json/record-renderer.ts'
import { createValueSchema } from '../record-json/value-schema.ts'
import { registeredMessage } from '../registry/registered-message.ts'
import { formatProto } from '../schema/format-proto.ts'
import { createSchemaRegistryClient } from '../schema-registry/registry-client.ts'
import { createAvroFormat } from './avro-format.ts'
import { createJsonFormat } from './json-format.ts'
import { createProtobufFormat } from './protobuf-format.ts'
import type { FormatContext, TopicFormat } from './topic-format.ts'

/** @throws {UserError} `invalid_schema` */
export function createTopicFormat(content: TopicContent, context: FormatContext = {}): TopicFormat {
  if (!isAdopted(content))
    return {
      createRenderer: (options) => createRecordRenderer(content, options),
      createFilterCompiler: () => createFilterCompiler(content),
      parseFields: (text) => parseFields(content, text),
      describe() {
        const message = registeredMessage(content)
        const { descriptors, bytes } = content
        return { proto: formatProto(message), descriptors, jsonSchema: createValueSchema(message, bytes) }
      },
    }
  const { format, framing, schemaRegistry: url } = content
  const { schemaRegistry = (address: string) => createSchemaRegistryClient({ url: address }) } = context
  const registry = framing === 'raw' || url === undefined ? undefined : schemaRegistry(url)
  if (format === 'json') return createJsonFormat(content)
  return format === 'avro' ? createAvroFormat(content, registry) : createProtobufFormat(content, registry)
}
