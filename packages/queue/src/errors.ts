import type { Claim } from './claim.ts'
import type { PartitionBounds, PartitionOffset } from './queue.ts'

/** Base of all errors of this project. */
export abstract class HeadraceError extends Error {
  /** Stable, in snake_case. */
  readonly code: string
  /** For a program that adds the name of its own option to the message. */
  declare readonly remedy?: Remedy

  constructor(code: string, message: string, options?: HeadraceErrorOptions) {
    super(message, options)
    this.code = code
    if (options?.remedy) this.remedy = options.remedy
    this.name = new.target.name
    Object.defineProperty(this, classNames, { value: namesOf(new.target) })
  }

  /** Compares names: a connector may have its own copy of these classes. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const names = (value as { readonly [classNames]?: readonly string[] } | null | undefined)?.[classNames]
    // biome-ignore lint/complexity/noThisInStatic: each subclass compares its own name.
    return names?.includes(this.name) ?? false
  }
}

export interface HeadraceErrorOptions extends ErrorOptions {
  readonly remedy?: Remedy
}

/** An option or a function of this API or of a program that uses it. */
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
  readonly value?: string
}

/** A user must change an argument, a file, a setting or a permission: trying again does not help. */
export class UserError extends HeadraceError {}

/** Trying again later may succeed. */
export class RetryableError extends HeadraceError {}

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

/** Another run has claimed the writer id. Final. */
export class FencedError extends UserError {
  readonly writerId: string
  /** `undefined` if it was removed. */
  readonly by: Claim | undefined

  constructor(writerId: string, { by, ...options }: ErrorOptions & { by?: Claim | undefined } = {}) {
    super('fenced', by ? describeClaim(writerId, by) : claimRemoved(writerId), options)
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

function claimRemoved(writerId: string): string {
  return (
    `The claim of this run on "${writerId}" was removed, so this run stops: another run may have claimed it. ` +
    'Check that no other run is active, then start this one again.'
  )
}

export class TopicMismatchError extends UserError {
  readonly topic: string

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

export class RecordTooLargeError extends UserError {
  readonly topic: string
  /** As stored. */
  readonly bytes: number
  readonly limit: number

  constructor(topic: string, bytes: number, limit: number) {
    const found = `A record of ${bytes} bytes exceeds the limit of topic "${topic}", ${limit} bytes`
    super('record_too_large', `${found}. Publish smaller records.`)
    this.topic = topic
    this.bytes = bytes
    this.limit = limit
  }
}

/** The partition does not contain the offset any more, or not yet. */
export class PositionLostError extends UserError {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly earliest: bigint
  readonly end: bigint
  /**
   * `out_of_range`: before `earliest` or after `end`. `recreated`: the topic was deleted and created again.
   * `truncated`: the brokers lost records that had been read, so the offset may hold another record now.
   */
  readonly reason: 'out_of_range' | 'recreated' | 'truncated'

  constructor(at: PartitionOffset, bounds: PartitionBounds, reason: PositionLostError['reason'] = 'out_of_range') {
    const why = { out_of_range: '', recreated: 'the topic was created again, ', truncated: 'the log was truncated, ' }
    const place = `Offset ${at.offset} of "${at.topic}" partition ${at.partition}`
    const found = `the partition holds ${bounds.earliest} up to ${bounds.end}`
    super('position_lost', `${place} cannot be read: ${why[reason]}${found}.`)
    this.topic = at.topic
    this.partition = at.partition
    this.offset = at.offset
    this.earliest = bounds.earliest
    this.end = bounds.end
    this.reason = reason
  }

  get wasRemoved(): boolean {
    return this.reason === 'out_of_range' && this.offset < this.earliest
  }
}

export class DamagedBatchError extends UserError {
  constructor(where: string, difference: string, options?: ErrorOptions) {
    super('damaged_batch', `The record batch at ${where} is damaged: ${difference}.`, options)
  }
}

export class DamagedStorageError extends UserError {
  readonly file: string

  constructor(file: string, difference: string, options?: ErrorOptions) {
    const message = `${file} is damaged: ${difference}. \`diagnoseQueue\` reports the damage and can repair the file.`
    super('damaged_storage', message, { ...options, remedy: { kind: 'diagnose_queue' } })
    this.file = file
  }
}

/** No record of the transaction is or will be visible. */
export class TransactionAbortedError extends RetryableError {
  constructor(message: string, options?: ErrorOptions, code: AbortCode = 'transaction_aborted') {
    super(code, message, options)
  }
}

type AbortCode = 'transaction_aborted' | 'transaction_timed_out'

export class TransactionTimedOutError extends TransactionAbortedError {
  constructor(writerId: string, options?: ErrorOptions) {
    const message = `The broker aborted the transaction of "${writerId}", which was open for longer than its timeout.`
    super(message, options, 'transaction_timed_out')
  }
}

/** Only the checkpoint shows whether the transaction was committed. */
export class CommitUnknownError extends RetryableError {
  constructor(writerId: string, options?: ErrorOptions) {
    const remedy = 'The checkpoint shows it: read it again.'
    const message = `The commit of "${writerId}" was not answered in time, so its outcome is unknown. ${remedy}`
    super('commit_unknown', message, options)
  }
}

/** The queue cannot be reached, or does not answer, within the time budget. */
export class QueueUnavailableError extends RetryableError {
  constructor(message: string, options?: ErrorOptions) {
    super('queue_unavailable', message, options)
  }
}

/** The same symbol in every copy of this package. */
const classNames: unique symbol = Symbol.for('headrace.error.classes')

function namesOf(errorClass: { readonly name: string }): string[] {
  const names: string[] = []
  for (let one = errorClass; one !== Error; one = Object.getPrototypeOf(one)) names.push(one.name)
  return names
}
