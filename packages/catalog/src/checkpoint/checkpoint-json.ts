import { UserError } from '@headrace/queue'
import type { Checkpoint } from './checkpoint.ts'

/**
 * Encodes a checkpoint as JSON.
 *
 * @throws {TypeError} the author's checkpoint has no JSON form (a bigint, a cycle).
 */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return Buffer.from(JSON.stringify(checkpoint))
}

/**
 * Decodes a checkpoint. Members that it does not know are left out.
 *
 * @throws {UserError} `invalid_checkpoint`: not JSON, or a member is missing or of another type.
 */
export function decodeCheckpoint(value: Uint8Array): Checkpoint {
  const json = parse(value)
  const { position, unit, previous, nextSeq, final, time } = json
  if (position === undefined) throw invalid('"position" is missing')
  if (!isCount(unit) || unit === 0) throw invalid('"unit" must be a whole number from 1')
  if (previous !== null && !isCount(previous)) throw invalid('"previous" must be a unit number or null')
  if (!isNumbersByTopic(nextSeq)) throw invalid('"nextSeq" must hold an array of seqs for each topic')
  if (!isNumbersByTopic(time)) throw invalid('"time" must hold an array of times in ms for each topic')
  return {
    position,
    ...(json.fromStart === true && { fromStart: true }),
    unit,
    previous,
    nextSeq,
    final: decodeFinal(final),
    time,
  }
}

function parse(value: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw invalid('it is not JSON', { cause })
  }
  if (!isObject(json)) throw invalid('it is not a JSON object')
  return json
}

function decodeFinal(final: unknown): Checkpoint['final'] {
  if (final === null) return null
  if (!isObject(final) || !isCount(final.unit) || !isNumbersByTopic(final.nextSeq))
    throw invalid('"final" must be null or hold "unit" and "nextSeq"')
  return { unit: final.unit, nextSeq: final.nextSeq }
}

function isNumbersByTopic(value: unknown): value is Record<string, number[]> {
  return isObject(value) && Object.values(value).every((list) => Array.isArray(list) && list.every(isCount))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function invalid(what: string, options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_checkpoint',
    `A checkpoint in "_headrace.checkpoints" cannot be read: ${what}. ` +
      'It was not written by this version of the connector runtime or a compatible one.',
    options,
  )
}
