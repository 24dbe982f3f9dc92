import type { DescMessage } from '@bufbuild/protobuf'
import {
  type ConnectorTopic,
  createKeyReader,
  createMessageCheck,
  createTimeReader,
  encodeSchemaId,
  headerKeys,
  type KeyReader,
  type Project,
  parseRetention,
  type TimeReader,
} from '@headrace/catalog'
import { type Header, partitionForKey, type Queue, type RetentionPolicy, UserError } from '@headrace/queue'
import type { MessageCodec, Schema } from '../../connector/schema.ts'
import type { MessageWriter } from '../../wire/message-writer.ts'

export interface MessageTopic {
  readonly codec: MessageCodec<unknown>
  /** Whether the codec takes bytes and checks them. Otherwise bytes are an encoded message. */
  readonly isChecked: boolean
  /** The message in the project's .proto files. */
  readonly descriptor: DescMessage
  readonly topic: string
  readonly partitions: number
  readonly readKey: KeyReader | undefined
  /** In ms. */
  readonly readTime: TimeReader | undefined
  readonly retention: RetentionPolicy
  /** Headers that are the same in all records. */
  readonly headers: readonly Header[]
}

/**
 * The topic of each message of a schema, by short name.
 *
 * @param queue - If records are published.
 * @throws {UserError} `schema_mismatch`
 */
export function messageTopics(
  schema: Schema,
  project: Project,
  topics: readonly ConnectorTopic[],
  queue?: Pick<Queue, 'engine'>,
): ReadonlyMap<string, MessageTopic> {
  const byMessage = new Map(topics.map((topic) => [topic.message, topic]))
  const form = { hasFieldsOnce: !schema.encoded }
  const found = new Map<string, MessageTopic>()
  for (const [shortName, codec] of Object.entries(schema.messages)) {
    const descriptor = project.schema.message(codec.name)
    if (!descriptor) {
      throw mismatch(`The generated code has a message "${codec.name}" that no .proto file declares.`)
    }
    const topic = byMessage.get(codec.name)
    if (!topic) continue
    byMessage.delete(codec.name)
    const { name, message, partitions, key, time, retention } = topic
    found.set(shortName, {
      ...{ topic: name, partitions, retention: parseRetention(retention) },
      codec: schema.encoded ? checked(codec, project) : codec,
      isChecked: schema.encoded === true,
      descriptor,
      headers: queue?.engine === 'kafka' ? [{ key: headerKeys.schema, value: encodeSchemaId(descriptor) }] : [],
      readKey: key === undefined ? undefined : createKeyReader(project.schema, message, key, form),
      readTime: time === undefined ? undefined : createTimeReader(project.schema, message, time, form),
    })
  }
  const [missing] = byMessage.keys()
  if (missing) throw mismatch(`The generated code has no message "${missing}", which has a topic.`)
  return found
}

function checked({ name, encode }: MessageCodec<unknown>, { schema }: Project): MessageCodec<unknown> {
  const check = createMessageCheck(schema, name)
  return {
    name,
    encode(bytes, writer) {
      check(bytes as Uint8Array)
      return encode(bytes, writer)
    },
  }
}

function mismatch(difference: string): UserError {
  return new UserError('schema_mismatch', `${difference} Run "connector codegen" again.`)
}

export function partitionOf({ partitions }: Pick<MessageTopic, 'partitions'>, key: Uint8Array | null): number {
  return partitions > 1 && key ? partitionForKey(key, partitions) : 0
}

/** @throws what the codec throws. Then the writer must discard the message. */
export function encodeMessage(
  { codec, isChecked }: Pick<MessageTopic, 'codec' | 'isChecked'>,
  message: unknown,
  writer: MessageWriter,
): Uint8Array {
  if (message instanceof Uint8Array && !isChecked) return message
  codec.encode(message, writer.codecWriter)
  return writer.take()
}

export interface KeyAndValue {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/** A message that cannot be encoded has neither, as the record that is published for it. */
export function keyAndValue(
  topic: Pick<MessageTopic, 'codec' | 'isChecked' | 'readKey'>,
  message: unknown,
  writer: MessageWriter,
): KeyAndValue {
  const { readKey } = topic
  try {
    const value = encodeMessage(topic, message, writer)
    return { key: readKey?.(value) ?? null, value }
  } catch {
    writer.discard()
    return { key: null, value: null }
  }
}
