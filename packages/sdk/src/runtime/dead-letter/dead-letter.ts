import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { systemTopics } from '@headrace/catalog'
import type { NewRecord } from '@headrace/queue'
import type { EncodedRecord } from '../cycle/encoded-unit.ts'

/** What a dead letter shows of a message at most: bytes of it, or characters of its description. */
const shownBytes = 64 * 1024

/** Why a message could not be produced. */
export interface BadMessageReason {
  readonly code: 'encode_failed' | 'record_too_large'
  readonly words: string
}

/**
 * Makes the record of `_headrace.dead-letters` for a message that could not be produced: JSON with the identity of its
 * place, the reason, and of the encoded message, or of the bytes that are none, its length, SHA-256 and first 64 KiB as
 * base64. Of a message that could not be encoded there is a description instead.
 */
export function deadLetter(
  record: EncodedRecord,
  bad: {
    readonly writerId: string
    readonly unit: number
    readonly reason: BadMessageReason
    readonly message: unknown
  },
): NewRecord {
  const { topic, partition, seq, message, value } = record
  const { writerId, unit, reason } = bad
  const bytes = value ?? (bad.message instanceof Uint8Array ? bad.message : undefined)
  const content = bytes ? encodedContent(bytes) : { description: describe(bad.message) }
  const letter = { topic, partition, seq, unit, message, writer: writerId, code: reason.code, reason: reason.words }
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
    value: Buffer.from(value.subarray(0, shownBytes)).toString('base64'),
  }
}

function describe(message: unknown): string {
  return inspect(message, { depth: 4, maxArrayLength: 100, maxStringLength: 1000 }).slice(0, shownBytes)
}
