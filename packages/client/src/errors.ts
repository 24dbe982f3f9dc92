/** Every code this package throws besides those that the service answers. */
export const clientErrorCodes = [
  'invalid_option',
  'service_unavailable',
  'unexpected_answer',
  'records_missing',
  'key_revoked',
  'permission_lost',
  'connection_refused',
] as const

/** What went wrong in reading. A caller decides by its class or by `code`. */
export abstract class ClientError extends Error {
  /** Stable, in snake_case. Every code has a row in `docs/reference/errors.md`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.name = new.target.name
  }
}

/** An option that cannot be. */
export class InvalidOptionError extends ClientError {
  constructor(message: string) {
    super('invalid_option', message)
  }
}

/** The service says no, and will say so again: the key, the topic or a parameter must be changed. */
export class RefusedError extends ClientError {
  /** HTTP status, where it came over HTTP. */
  readonly status: number | undefined
  /** Finds the request in the gateway's log. */
  readonly requestId: string | undefined

  constructor(code: string, message: string, { status, requestId }: { status?: number; requestId?: string } = {}) {
    super(code, message)
    this.status = status
    this.requestId = requestId
  }
}

/** The records that come next are gone. Reading can go on at `earliest`, with a loss. */
export class PositionUnavailableError extends ClientError {
  readonly topic: string | undefined
  /** The cursor of the first record that is there. Partitions that have lost nothing continue at their places. */
  readonly earliest: string
  readonly reason: 'retention' | 'recreated' | 'truncated'

  constructor(
    message: string,
    loss: { topic?: string; earliest: string; reason?: PositionUnavailableError['reason'] },
  ) {
    super('position_unavailable', message)
    this.topic = loss.topic
    this.earliest = loss.earliest
    this.reason = loss.reason ?? 'retention'
  }
}

/** A seq did not come: records are lost between what was read and what came then. */
export class RecordsMissingError extends ClientError {
  readonly topic: string
  readonly partition: number
  /** The seq that should have come. */
  readonly expected: number
  /** The seq that came. */
  readonly found: number

  constructor(place: { topic: string; partition: number }, { expected, found }: { expected: number; found: number }) {
    super(
      'records_missing',
      `Seq ${expected} of partition ${place.partition} of "${place.topic}" did not come, but ${found}. ` +
        'Read again from the last cursor. A stream goes on without them where onGap is "skip".',
    )
    this.topic = place.topic
    this.partition = place.partition
    this.expected = expected
    this.found = found
  }
}

/** No answer, or none at this moment. Trying again later may succeed. It was tried for `retryForMs` when thrown. */
export class UnavailableError extends ClientError {
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
