import { PositionLostError, type TopicDescription } from '@headrace/queue'
import { encodeCursor } from './encode-cursor.ts'
import { type PositionLoss, PositionUnavailableError } from './position-unavailable-error.ts'
import type { ResolvedPosition } from './resolve-position.ts'

/**
 * Waits for what reads a topic as it was described.
 *
 * @param from - Where it reads from. Partitions that have lost nothing go on there.
 * @throws {PositionUnavailableError} where that throws a `PositionLostError`: what was to be read has been removed since.
 */
export async function tellLoss<T>(topic: TopicDescription, reading: Promise<T>, from?: ResolvedPosition): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof PositionLostError ? unavailable(topic, lossOf(error), { cause: error, from }) : error
  }
}

function lossOf({ reason, offset, earliest }: PositionLostError): PositionLoss {
  if (reason === 'recreated') return 'recreated'
  return offset < earliest ? 'retention' : 'truncated'
}

interface Loss {
  readonly cause: PositionLostError
  readonly from: ResolvedPosition | undefined
}

/** A lost position of a topic, with the earliest record: what the loss says of it is newer than the description. */
export function unavailable(
  { id, name, partitions }: TopicDescription,
  reason: PositionLoss,
  loss?: Loss,
): PositionUnavailableError {
  const { cause, from } = loss ?? {}
  const places = partitions.map(({ earliest }, partition) => {
    const isNewer = cause?.partition === partition && cause.earliest > earliest
    const first = { offset: isNewer ? cause.earliest : earliest, seq: null }
    const isLost = reason === 'recreated' || cause?.partition === partition
    return isLost ? first : (from?.partitions[partition] ?? first)
  })
  const asOf = reason === 'recreated' ? undefined : from?.asOf
  const cursor = encodeCursor({ topics: [{ id, topic: name, partitions: places, ...(asOf && { asOf }) }] })
  return new PositionUnavailableError(name, reason, cursor, cause && { cause })
}
