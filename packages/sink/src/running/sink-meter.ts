/** Updated for each batch. */
export interface SinkMeter {
  readonly startedAt: number
  batches: number
  /** Applied, without reverts. */
  records: number
  reverts: number
  /** Failures after which the destination was opened again. */
  retries: number
  failing: boolean
  /** Ms since the Unix epoch. */
  lastApplyAt: number | undefined
  /** The cursor of the last applied batch, by topic. */
  readonly cursors: Map<string, string>
  /** The time of the last applied record, by topic: RFC 3339. */
  readonly newest: Map<string, string>
}

export function createSinkMeter(): SinkMeter {
  return {
    ...{ startedAt: Date.now(), batches: 0, records: 0, reverts: 0, retries: 0, failing: true },
    ...{ lastApplyAt: undefined, cursors: new Map(), newest: new Map() },
  }
}
