import { partitionForKey, type Queue, UserError } from '@headrace/queue'
import { isObject, parseValue, systemTopics, writerPartitions } from '../system-topics/system-topics.ts'

/** Topic → next seq of each of its partitions. */
export type NextSeqs = Readonly<Record<string, readonly number[]>>

/** A connector instance's progress after a unit. */
export interface Checkpoint<C = unknown> {
  /** The author's position; `null` with `fromStart`. */
  readonly position: C
  /** The source begins again after this unit, which can no longer be reverted. */
  readonly fromStart?: true
  /** From 1. */
  readonly unit: number
  /** The canonical unit before it; `null` for the first. */
  readonly previous: number | null
  readonly nextSeq: NextSeqs
  /** The newest final unit and the next seqs after it. */
  readonly final: { readonly unit: number; readonly nextSeq: NextSeqs } | null
  /** Topic → time (ms) of the last record of each partition. */
  readonly time: Readonly<Record<string, readonly number[]>>
}

/** Limit of units that can be reverted. */
export const checkpointRingSize = 8192

export function checkpointKey(writerId: string): Uint8Array {
  return Buffer.from(writerId)
}

export function checkpointRingKey(writerId: string, unit: number): Uint8Array {
  return Buffer.from(`${writerId}/${unit % checkpointRingSize}`)
}

export function checkpointPartition(writerId: string): number {
  return partitionForKey(Buffer.from(writerId), writerPartitions)
}

/**
 * May wait for open transactions, see `Queue.latest`.
 *
 * @throws {UserError} `invalid_checkpoint`
 */
export async function readCheckpoint(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  const record = await queue.latest(systemTopics.checkpoints, checkpointPartition(writerId), checkpointKey(writerId))
  return record?.value ? decodeCheckpoint(record.value) : undefined
}

/** @throws {TypeError} the author's position has a bigint or a cycle. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return Buffer.from(JSON.stringify(checkpoint))
}

/**
 * Ignores unknown members.
 *
 * @throws {UserError} `invalid_checkpoint`
 */
export function decodeCheckpoint(value: Uint8Array): Checkpoint {
  const json = parseValue(value, invalid)
  const { position, fromStart, unit, previous, nextSeq, time } = json
  if (position === undefined) throw invalid('"position" is missing')
  if (!isCount(unit) || unit === 0) throw invalid('"unit" must be a whole number from 1')
  if (previous !== null && !isCount(previous)) throw invalid('"previous" must be a unit number or null')
  if (!isNumbersByTopic(nextSeq)) throw invalid('"nextSeq" must hold an array of seqs for each topic')
  if (!isNumbersByTopic(time)) throw invalid('"time" must hold an array of times in ms for each topic')
  const final = decodeFinal(json.final)
  return { position, ...(fromStart === true && { fromStart }), unit, previous, nextSeq, final, time }
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

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function invalid(what: string, options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_checkpoint',
    `A checkpoint in "_headrace.checkpoints" cannot be read: ${what}. ` +
      'Another version of the connector runtime wrote it: use that version, or a newer one.',
    options,
  )
}
