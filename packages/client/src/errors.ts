/** In addition to those of the gateway. */
export const clientErrorCodes = [
  'invalid_option',
  'service_unavailable',
  'unexpected_answer',
  'records_missing',
  'key_revoked',
  'quota_exceeded',
  'permission_lost',
  'connection_refused',
  'token_unavailable',
] as const

/** Callers decide by the class or by `code`. */
export abstract class ClientError extends Error {
  /** Stable. Every code has a row in `docs/reference/errors.md`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.name = new.target.name
  }
}

export class InvalidOptionError extends ClientError {
  constructor(message: string) {
    super('invalid_option', message)
  }
}

/** Retrying does not help: change the key, the topic or a parameter. */
export class RefusedError extends ClientError {
  /** Absent if the refusal came over WebSocket. */
  readonly status: number | undefined
  /** In the gateway's log. */
  readonly requestId: string | undefined

  constructor(code: string, message: string, from: Partial<Pick<RefusedError, 'status' | 'requestId'>> = {}) {
    super(code, message)
    this.status = from.status
    this.requestId = from.requestId
  }
}

/** The next records no longer exist. Reading can continue at `earliest`, with a loss. */
export class PositionUnavailableError extends ClientError {
  readonly topic: string | undefined
  /** Cursor of the first existing record. Partitions without a loss continue at their places. */
  readonly earliest: string
  readonly reason: 'retention' | 'recreated' | 'truncated'

  constructor(
    message: string,
    loss: { topic?: string | undefined; earliest: string; reason?: PositionUnavailableError['reason'] | undefined },
  ) {
    super('position_unavailable', message)
    this.topic = loss.topic
    this.earliest = loss.earliest
    this.reason = loss.reason ?? 'retention'
  }
}

/** A seq was skipped: the records between are lost. */
export class RecordsMissingError extends ClientError {
  readonly topic: string
  readonly partition: number
  readonly expected: number
  readonly found: number

  constructor(place: { topic: string; partition: number }, { expected, found }: { expected: number; found: number }) {
    super(
      'records_missing',
      `Records are missing in partition ${place.partition} of "${place.topic}": seq ${expected} was expected, and ` +
        `${found} was received. Read again from the last cursor, or set onGap to "skip" to continue without them.`,
    )
    this.topic = place.topic
    this.partition = place.partition
    this.expected = expected
    this.found = found
  }
}

/** The gateway did not answer, or is busy. When thrown to a caller, it has been retried for `retryForMs`. */
export class UnavailableError extends ClientError {
  /** Demanded by the gateway, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
