import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { headerKeys, systemTopics } from '@headrace/catalog'
import { type NewRecord, RecordTooLargeError, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import { describeThrown } from '../../errors.ts'
import type { EncodedRecord } from '../cycle/encoded-unit.ts'

/** Maximum number of characters in the `error` header of a record. */
const reasonLimit = 500

/**
 * Adds a dead letter and returns an empty record with the same seq and the reason.
 *
 * @throws {UserError} `bad_message`, with `onBadMessage: 'stop'`
 */
export type BadMessageReplacer = (record: EncodedRecord, bad: BadMessage, deadLetters: NewRecord[]) => EncodedRecord

interface BadMessage {
  readonly unit: number
  readonly error: unknown
  readonly message?: unknown
}

interface BadMessageReason {
  readonly code: 'encode_failed' | 'record_too_large'
  readonly text: string
}

export function createBadMessageReplacer(options: {
  readonly writerId: string
  readonly onBadMessage: 'keep' | 'stop'
  readonly log: Logger
}): BadMessageReplacer {
  const { writerId, onBadMessage, log } = options
  return (record, bad, deadLetters) => {
    const { unit, error } = bad
    const code = error instanceof RecordTooLargeError ? 'record_too_large' : 'encode_failed'
    const reason = { code, text: describeThrown(error) } as const
    if (onBadMessage === 'stop') throw badMessageError(record, unit, reason, error)
    const { topic, partition, seq, message } = record
    log.error({ topic, partition, seq, unit, message, code, err: error }, 'bad message')
    deadLetters.push(deadLetter(writerId, record, bad, reason))
    return emptyRecord(record, reason)
  }
}

function badMessageError(record: EncodedRecord, unit: number, reason: BadMessageReason, cause: unknown): UserError {
  return new UserError(
    'bad_message',
    `A message ${record.message} of unit ${unit} cannot be published to "${record.topic}" (${reason.code}): ` +
      `${reason.text}. Fix the connector, or publish an empty record for such messages (\`onBadMessage: 'keep'\`).`,
    { cause, remedy: { kind: 'keep_bad_messages' } },
  )
}

function emptyRecord(record: EncodedRecord, reason: BadMessageReason): EncodedRecord {
  const text = `${reason.code}: ${reason.text}`.slice(0, reasonLimit)
  const headers = [...(record.headers ?? []), { key: headerKeys.error, value: Buffer.from(text) }]
  return { ...record, key: null, value: null, headers }
}

/** Maximum length of the message in a dead letter: bytes if it was encoded, else characters of its description. */
const contentLimit = 64 * 1024

function deadLetter(
  writerId: string,
  record: EncodedRecord,
  { unit, message: source }: BadMessage,
  { code, text }: BadMessageReason,
): NewRecord {
  const { topic, partition, seq, message, value } = record
  const bytes = value ?? (source instanceof Uint8Array ? source : undefined)
  const content = bytes ? encodedContent(bytes) : { description: describe(source) }
  const letter = { topic, partition, seq, unit, message, writer: writerId, code, reason: text }
  return {
    topic: systemTopics.deadLetters,
    key: Buffer.from(`${topic}/${partition}/${seq}`),
    value: Buffer.from(JSON.stringify({ ...letter, ...content })),
    time: Date.now(),
  }
}

function encodedContent(value: Uint8Array): { length: number; sha256: string; value: string } {
  return {
    length: value.length,
    sha256: createHash('sha256').update(value).digest('hex'),
    value: Buffer.from(value.subarray(0, contentLimit)).toString('base64'),
  }
}

function describe(message: unknown): string {
  return inspect(message, { depth: 4, maxArrayLength: 100, maxStringLength: 1000 }).slice(0, contentLimit)
}
