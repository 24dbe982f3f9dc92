import { UserError } from '@headrace/queue'

/** Why a position is no longer in its topic. */
export type PositionLoss = 'retention' | 'recreated' | 'truncated'

/** The records after a position are no longer all there. */
export class PositionUnavailableError extends UserError {
  readonly topic: string
  readonly reason: PositionLoss
  /**
   * Cursor of the earliest record that can be read now. Partitions that have lost nothing continue where the position
   * was.
   */
  readonly earliest: string

  constructor(topic: string, reason: PositionLoss, earliest: string, options?: ErrorOptions) {
    super(
      'position_unavailable',
      `This position in "${topic}" is lost: ${explanation[reason]}. ` +
        'Go on from the earliest record that is there, and expect records to be missing before it.',
      options,
    )
    this.topic = topic
    this.reason = reason
    this.earliest = earliest
  }
}

const explanation: Record<PositionLoss, string> = {
  retention: 'the records after it have been removed by retention',
  recreated: 'the topic has been deleted and created anew',
  truncated: 'what follows is not the record that followed when it was made, so records have been lost',
}
