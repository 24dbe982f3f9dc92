import { headerKeys } from '@headrace/catalog'
import { type NewRecord, RecordTooLargeError, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import { thrownWords } from '../../errors.ts'
import type { EncodedRecord } from '../cycle/encoded-unit.ts'
import { type BadMessageReason, deadLetter } from './dead-letter.ts'

/** Characters of a reason in the `error` header of a record. */
const reasonLimit = 500

export interface BadMessages {
  /**
   * Adds the dead letter of a message that could not be produced and gives the record that keeps its place: the same
   * identity, no value, the reason in its `error` header.
   *
   * @throws {UserError} `bad_message`: such a message is to stop the run.
   */
  keepPlace(record: EncodedRecord, bad: BadMessage, deadLetters: NewRecord[]): EncodedRecord
}

export interface BadMessage {
  readonly unit: number
  /** What was thrown at the attempt. */
  readonly error: unknown
  /** The message as it was yielded, where it could not be encoded. */
  readonly message?: unknown
}

/** Says what becomes of messages that cannot be encoded or are too large for their topic. */
export function createBadMessages(options: {
  readonly writerId: string
  readonly onBadMessage: 'keep' | 'stop'
  readonly log: Logger
}): BadMessages {
  const { writerId, onBadMessage, log } = options
  return {
    keepPlace(record, { unit, error, message }, deadLetters) {
      const reason = badMessageReason(error)
      if (onBadMessage === 'stop') throw badMessageError(record, unit, reason, error)
      const { topic, partition, seq } = record
      log.error({ topic, partition, seq, unit, message: record.message, code: reason.code, err: error }, 'bad message')
      deadLetters.push(deadLetter(record, { writerId, unit, reason, message }))
      return emptyRecord(record, reason)
    },
  }
}

function badMessageReason(error: unknown): BadMessageReason {
  return {
    code: error instanceof RecordTooLargeError ? 'record_too_large' : 'encode_failed',
    words: thrownWords(error),
  }
}

function badMessageError(record: EncodedRecord, unit: number, reason: BadMessageReason, cause: unknown): UserError {
  return new UserError(
    'bad_message',
    `A message ${record.message} of unit ${unit} cannot be published to "${record.topic}" (${reason.code}): ` +
      `${reason.words}. Fix the connector, or publish an empty record for such messages (\`onBadMessage: 'keep'\`).`,
    { cause, remedy: { kind: 'keep_bad_messages' } },
  )
}

function emptyRecord(record: EncodedRecord, reason: BadMessageReason): EncodedRecord {
  const text = `${reason.code}: ${reason.words}`.slice(0, reasonLimit)
  const headers = [...(record.headers ?? []), { key: headerKeys.error, value: Buffer.from(text) }]
  return { ...record, key: null, value: null, headers }
}
