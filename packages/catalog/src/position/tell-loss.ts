import { PositionLostError, type TopicDescription } from '@headrace/queue'
import { encodeCursor } from './encode-cursor.ts'
import { type PositionLoss, PositionUnavailableError } from './position-unavailable-error.ts'

/**
 * Waits for what reads a topic as it was described.
 *
 * @throws {PositionUnavailableError} where that throws a `PositionLostError`: what was to be read has been removed since.
 */
export async function tellLoss<T>(topic: TopicDescription, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof PositionLostError ? unavailable(topic, lossOf(error), error) : error
  }
}

function lossOf({ reason, offset, earliest }: PositionLostError): PositionLoss {
  if (reason === 'recreated') return 'recreated'
  return offset < earliest ? 'retention' : 'truncated'
}

/** A lost position of a topic, with the earliest record: what the loss says of it is newer than the description. */
export function unavailable(
  { id, name, partitions }: TopicDescription,
  reason: PositionLoss,
  cause?: PositionLostError,
): PositionUnavailableError {
  const places = partitions.map(({ earliest }, partition) => {
    const isNewer = cause?.partition === partition && cause.earliest > earliest
    return { offset: isNewer ? cause.earliest : earliest, seq: null }
  })
  const cursor = encodeCursor({ topics: [{ id, topic: name, partitions: places }] })
  return new PositionUnavailableError(name, reason, cursor, cause && { cause })
}
