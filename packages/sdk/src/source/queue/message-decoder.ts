import { createRecordRenderer, type RecordHeaders, type TopicRegistration, withCursor } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { OpenedTopic } from './open-topics.ts'
import type { InputRecord, MissingMessage } from './queue-input.ts'

/** What a record of the input holds. */
export type DecodedMessage = { readonly message: unknown } | { readonly missing: MissingMessage['reason'] }

export type MessageDecoder = (record: QueueRecord, headers: RecordHeaders) => DecodedMessage

/** Makes what decodes the records of a topic: by the author's decoder, else by the schema in the registry. */
export function createMessageDecoder({ decode, registration }: OpenedTopic): MessageDecoder {
  const decodeValue = decode
    ? (record: InputRecord): DecodedMessage => ({ message: decode(record) })
    : jsonDecoder(registration!)
  return (record, { error }) => {
    if (error !== undefined) return { missing: 'produce_failed' }
    if (record.value === null) return { missing: 'no_value' }
    return decodeValue(record as InputRecord)
  }
}

function jsonDecoder(registration: TopicRegistration): (record: InputRecord) => DecodedMessage {
  const { render } = createRecordRenderer(registration)
  return (record) => {
    const json = Buffer.from(withCursor(render(record), '')).toString()
    const { value, error } = JSON.parse(json) as { value: unknown; error?: unknown }
    return error === undefined ? { message: value } : { missing: 'decode_failed' }
  }
}
