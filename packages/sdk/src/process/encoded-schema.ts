import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { MessageCodec, Schema } from '../connector/schema.ts'

/** A schema, by full name, of messages that come encoded: a message is its bytes, checked before they are published. */
export function encodedSchema(messages: readonly string[]): Schema {
  const codecs = Object.fromEntries(messages.map((name) => [name, encodedMessage(name)]))
  return { messages: codecs, config: undefined, encoded: true }
}

function encodedMessage(name: string): MessageCodec<unknown> {
  return { name, encode: (bytes, writer = new BinaryWriter()) => writer.raw(bytes as Uint8Array) }
}
