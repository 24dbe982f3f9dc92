import { PositionLostError, type TopicDescription, UserError } from '@headrace/queue'
import { encodeCursor, type ResolvedPosition } from './cursor.ts'

export type PositionLoss = 'retention' | 'recreated' | 'truncated'

/** Records after a position have been lost. */
export class PositionUnavailableError extends UserError {
  readonly topic: string
  readonly reason: PositionLoss
  /** Cursor of the earliest record of partitions that lost records, and the requested position in others. */
  readonly earliest: string

  constructor(topic: string, reason: PositionLoss, earliest: string, options?: ErrorOptions) {
    super(
      'position_unavailable',
      `This position in "${topic}" is no longer available: ${explanation[reason]}. ` +
        'Continue from the earliest available record. Records before it are missing.',
      options,
    )
    this.topic = topic
    this.reason = reason
    this.earliest = earliest
  }
}

const explanation: Record<PositionLoss, string> = {
  retention: 'retention has removed records after it',
  recreated: 'the topic was deleted and created again',
  truncated: 'another record follows it now than when the cursor was made, so records have been lost',
}

/**
 * Throws a `PositionUnavailableError` in place of a `PositionLostError`.
 *
 * @param from - Where the reader started, which is kept for partitions that lost nothing.
 */
export async function convertPositionLoss<T>(
  topic: TopicDescription,
  reading: Promise<T>,
  from?: ResolvedPosition,
): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof PositionLostError ? unavailable(topic, lossOf(error), error, from) : error
  }
}

function lossOf({ reason, offset, earliest }: PositionLostError): PositionLoss {
  if (reason === 'recreated') return 'recreated'
  return offset < earliest ? 'retention' : 'truncated'
}

/** `cause` may have a newer `earliest` than the description. */
export function unavailable(
  { id, name, partitions }: TopicDescription,
  reason: PositionLoss,
  cause?: PositionLostError,
  from?: ResolvedPosition,
): PositionUnavailableError {
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
