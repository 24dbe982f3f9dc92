import type { Claim } from './claim.ts'

/**
 * The errors of this project. What a caller does about one depends on its branch: a `UserError` is mended by whoever
 * runs the program, a `RetryableError` by trying again later.
 */
export abstract class HeadraceError extends Error {
  /** Stable, in snake_case. Every code has a row in `docs/reference/errors.md`. */
  readonly code: string
  /** The fix that the message names, for a program that adds the name of its own option. */
  declare readonly remedy?: Remedy

  constructor(code: string, message: string, options?: HeadraceErrorOptions) {
    super(message, options)
    this.code = code
    if (options?.remedy) this.remedy = options.remedy
    this.name = new.target.name
    Object.defineProperty(this, classNames, { value: namesOf(new.target) })
  }

  /**
   * A connector may bring its own copy of this package, whose classes are others than those of the command that runs it.
   * So an error is also of a class when the class's name is among those it was made with, by whichever copy.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const names = (value as { readonly [classNames]?: readonly string[] } | null | undefined)?.[classNames]
    // biome-ignore lint/complexity/noThisInStatic: each class inherits this method and is asked by its own name.
    return names?.includes(this.name) ?? false
  }
}

export interface HeadraceErrorOptions extends ErrorOptions {
  readonly remedy?: Remedy
}

/** A fix for an error that is an option or a function of this API, and maybe of a program that uses it. */
export interface Remedy {
  readonly kind:
    | 'choose_metrics_port'
    | 'diagnose_queue'
    | 'keep_bad_messages'
    | 'keep_records'
    | 'list_checkpoints'
    | 'publish_again'
    | 'set_instance'
    | 'set_kafka_config'
    | 'set_queue_and_instance'
    | 'use_new_topics'
  /** The value of the option, if the message names one. */
  readonly value?: string
}

/** Somebody must change something: an argument, a file, a setting, a permission. Trying again gives the same answer. */
export class UserError extends HeadraceError {}

/** Nothing is wrong with the request. Trying again later may succeed. */
export class RetryableError extends HeadraceError {}

/** Every code this package throws. */
export const queueErrorCodes = [
  'invalid_queue_url',
  'queue_not_found',
  'invalid_kafka_config',
  'invalid_topic',
  'invalid_record',
  'fenced',
  'topic_mismatch',
  'unknown_topic',
  'record_too_large',
  'position_lost',
  'damaged_batch',
  'unsupported_batch',
  'damaged_storage',
  'unsupported_storage',
  'unsupported_broker',
  'authentication_failed',
  'tls_failed',
  'wrong_security_protocol',
  'permission_denied',
  'transaction_aborted',
  'transaction_timed_out',
  'commit_unknown',
  'queue_unavailable',
  'listen_failed',
] as const

/** Another run has claimed the writer id. Final: this run must end. */
export class FencedError extends UserError {
  readonly writerId: string
  /** The newest claim. `undefined` where there is none any more. */
  readonly by: Claim | undefined

  constructor(writerId: string, { by, ...options }: ErrorOptions & { by?: Claim | undefined } = {}) {
    super('fenced', `${by ? describeClaim(writerId, by) : claimGone(writerId)}`, options)
    this.writerId = writerId
    this.by = by
  }
}

function describeClaim(writerId: string, { claim, host, time }: Claim): string {
  const where = host === undefined ? '' : ` on host "${host}"`
  const when = time === undefined ? '' : ` at ${new Date(time).toISOString()}`
  return (
    `Run ${claim}${where} claimed "${writerId}"${when}, so this run stops: a connector instance has one writer. ` +
    'If that run still runs, keep it. If it has ended, start this one again.'
  )
}

function claimGone(writerId: string): string {
  return (
    `The claim of this run on "${writerId}" is not there any more, so it stops: another run may have taken over. ` +
    'Check that no other one runs, then start it again.'
  )
}

/** A topic exists with settings other than the ones asked for. */
export class TopicMismatchError extends UserError {
  readonly topic: string

  /** @param remedy - What to do, in whole sentences. */
  constructor(topic: string, difference: string, { remedy, ...options }: ErrorOptions & { remedy?: string } = {}) {
    const message = `Topic "${topic}" exists with other settings: ${difference}.`
    super('topic_mismatch', remedy === undefined ? message : `${message} ${remedy}`, options)
    this.topic = topic
  }
}

export class UnknownTopicError extends UserError {
  readonly topic: string

  constructor(topic: string, partition?: number, options?: ErrorOptions) {
    const what =
      partition === undefined ? `There is no topic "${topic}"` : `Topic "${topic}" has no partition ${partition}`
    super('unknown_topic', `${what} in this queue. Create it first.`, options)
    this.topic = topic
  }
}

/** One record exceeds what its topic or its engine takes. */
export class RecordTooLargeError extends UserError {
  readonly topic: string
  /** Bytes of the record as it would be stored. */
  readonly bytes: number
  readonly limit: number

  constructor(topic: string, bytes: number, limit: number) {
    super(
      'record_too_large',
      `A record of ${bytes} bytes is larger than the ${limit} bytes that topic "${topic}" takes.`,
    )
    this.topic = topic
    this.bytes = bytes
    this.limit = limit
  }
}

/** The offset asked for is no longer, or not yet, in the partition, or what lies there is something else by now. */
export class PositionLostError extends UserError {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly earliest: bigint
  readonly end: bigint
  /**
   * `out_of_range`: it lies before `earliest` or after `end`. `recreated`: the topic was deleted, and created again under
   * its name. `truncated`: the brokers lost records that had been read, and others may lie in their place.
   */
  readonly reason: 'out_of_range' | 'recreated' | 'truncated'

  constructor(
    at: { topic: string; partition: number; offset: bigint },
    bounds: { earliest: bigint; end: bigint },
    reason: 'out_of_range' | 'recreated' | 'truncated' = 'out_of_range',
  ) {
    const why = { out_of_range: '', recreated: 'the topic was created anew, ', truncated: 'its records were lost, ' }
    super(
      'position_lost',
      `Offset ${at.offset} of "${at.topic}" partition ${at.partition} cannot be read: ` +
        `${why[reason]}the partition holds ${bounds.earliest} up to ${bounds.end}.`,
    )
    this.topic = at.topic
    this.partition = at.partition
    this.offset = at.offset
    this.earliest = bounds.earliest
    this.end = bounds.end
    this.reason = reason
  }

  /** Whether what lay at the offset has been removed, by retention or `deleteBefore`. It may have been no record. */
  get wasRemoved(): boolean {
    return this.reason === 'out_of_range' && this.offset < this.earliest
  }
}

/** A stored batch does not match its checksum or its own lengths. It is never served. */
export class DamagedBatchError extends UserError {
  constructor(where: string, difference: string, options?: ErrorOptions) {
    super('damaged_batch', `The record batch at ${where} is damaged: ${difference}.`, options)
  }
}

/** The file of an embedded queue contradicts itself. What cannot be trusted is not served. */
export class DamagedStorageError extends UserError {
  readonly file: string

  constructor(file: string, difference: string, options?: ErrorOptions) {
    super(
      'damaged_storage',
      `${file} is damaged: ${difference}. \`diagnoseQueue\` reports what is left of it and can repair it.`,
      { ...options, remedy: { kind: 'diagnose_queue' } },
    )
    this.file = file
  }
}

/** The commit was refused: nothing of the transaction is or will be visible. */
export class TransactionAbortedError extends RetryableError {
  constructor(
    message: string,
    options?: ErrorOptions,
    code: 'transaction_aborted' | 'transaction_timed_out' = 'transaction_aborted',
  ) {
    super(code, message, options)
  }
}

/** The broker gave the transaction up because it was open for longer than its timeout. */
export class TransactionTimedOutError extends TransactionAbortedError {
  constructor(writerId: string, options?: ErrorOptions) {
    super(`The broker timed out the open transaction of "${writerId}".`, options, 'transaction_timed_out')
  }
}

/** A commit was sent and never answered within the budget: only the checkpoint can tell what became of it. */
export class CommitUnknownError extends RetryableError {
  constructor(writerId: string, options?: ErrorOptions) {
    super(
      'commit_unknown',
      `The commit of "${writerId}" was not answered in time. Its checkpoint tells what became of it.`,
      options,
    )
  }
}

/** The queue could not be reached, or did not answer, within the budget. */
export class QueueUnavailableError extends RetryableError {
  constructor(message: string, options?: ErrorOptions) {
    super('queue_unavailable', message, options)
  }
}

/** The same symbol in every copy of this package. */
const classNames: unique symbol = Symbol.for('headrace.error.classes')

function namesOf(made: { readonly name: string }): string[] {
  const names: string[] = []
  for (let one = made; one !== Error; one = Object.getPrototypeOf(one)) names.push(one.name)
  return names
}
