import { setImmediate as nextTurn } from 'node:timers/promises'
import { addRunReport, checkpointKey, checkpointPartition, checkpointRingKey, systemTopics } from '@headrace/catalog'
import {
  CommitUnknownError,
  type NewRecord,
  type Queue,
  RecordTooLargeError,
  type Transaction,
  TransactionAbortedError,
  UserError,
} from '@headrace/queue'
import type { Logger } from 'pino'
import type { BadMessageReplacer } from '../dead-letter/bad-messages.ts'
import { type RunMeter, reportOf } from '../metrics/run-meter.ts'
import { createRetry } from '../retry.ts'
import { sendRevert } from '../revert/revert.ts'
import type { RunWriter } from '../start/run-writer.ts'
import type { UnitTrace } from '../trace/unit-trace.ts'
import type { EncodedUnit } from './encoded-unit.ts'

const refusalRetry = { firstMs: 10, maxMs: 5000, budgetMs: 300_000 }

export interface Committer {
  readonly queue: Queue
  readonly writer: RunWriter
  readonly replaceBad: BadMessageReplacer
  readonly meter: RunMeter
  readonly signal: AbortSignal
  readonly log: Logger
}

/**
 * Publishes units in one transaction and resolves when it is visible. After a refused commit they are sent again. After
 * one without an answer the checkpoint shows whether it succeeded.
 *
 * @throws {FencedError | UserError | RetryableError} `bad_message`, `checkpoint_moved`; the queue failed for longer
 *   than the budget, or refused while `signal` is aborted.
 */
export async function commitGroup(committer: Committer, units: readonly EncodedUnit[]): Promise<void> {
  const { writer, meter, signal, log } = committer
  using retry = createRetry(refusalRetry, signal)
  const place = { writerId: writer.id, unit: units.at(-1)!.unit, units: units.length }
  // Lets signals and timers run where source and queue answer at once.
  await nextTurn()
  for (;;) {
    const transaction = writer.begin()
    try {
      await send(committer, transaction, units)
      await transaction.commit()
      return
    } catch (error) {
      meter.failing.commit = true
      if (error instanceof CommitUnknownError) {
        log.warn({ ...place, err: error }, 'commit without an answer')
        if (await wasCommitted(writer, units)) return
      } else if (error instanceof TransactionAbortedError) {
        log.warn({ ...place, err: error }, 'commit refused')
        await transaction.abort()
      } else {
        throw error
      }
      if (signal.aborted || !(await retry.wait())) throw error
      meter.retries.commit++
    }
  }
}

async function send(committer: Committer, transaction: Transaction, units: readonly EncodedUnit[]): Promise<void> {
  const { queue, writer, meter } = committer
  for (const unit of units) {
    if (unit.revert) await sendRevert(transaction, unit.revert, { queue, writerId: writer.id, unit: unit.unit })
    sendRecords(committer, transaction, unit)
    await transaction.drain()
  }
  for (const { deadLetters } of units) for (const letter of deadLetters) transaction.send(letter)
  const { id } = writer
  for (const { unit, checkpoint } of units)
    transaction.send(checkpointRecord(id, checkpointRingKey(id, unit), checkpoint))
  const newest = addRunReport(units.at(-1)!.checkpoint, reportOf(meter))
  transaction.send(checkpointRecord(id, checkpointKey(id), newest))
}

function sendRecords({ replaceBad }: Committer, transaction: Transaction, unit: EncodedUnit): void {
  for (const [i, record] of unit.records.entries()) {
    try {
      sendWithTrace(transaction, record, unit.trace)
    } catch (error) {
      if (!(error instanceof RecordTooLargeError) || record.value === null) throw error
      const empty = replaceBad(record, { unit: unit.unit, error }, unit.deadLetters)
      unit.records[i] = empty
      transaction.send(empty)
    }
  }
}

/** Whether a unit is sampled must not decide whether a record is too large. */
function sendWithTrace(transaction: Transaction, record: NewRecord, trace: UnitTrace | undefined): void {
  try {
    transaction.send(record)
  } catch (error) {
    if (!(error instanceof RecordTooLargeError && trace)) throw error
    transaction.send({ ...record, headers: record.headers!.filter((header) => header !== trace.header) })
  }
}

function checkpointRecord(writerId: string, key: Uint8Array, value: Uint8Array): NewRecord {
  const partition = checkpointPartition(writerId)
  return { topic: systemTopics.checkpoints, partition, key, value, time: Date.now() }
}

async function wasCommitted(writer: RunWriter, units: readonly EncodedUnit[]): Promise<boolean> {
  const committed = (await writer.reopen())?.unit ?? 0
  const first = units[0]!.unit
  const last = units.at(-1)!.unit
  if (committed === last) return true
  if (committed === first - 1) return false
  throw new UserError(
    'checkpoint_moved',
    `The checkpoint of "${writer.id}" is at unit ${committed}, but this run left it at ${first - 1} or ${last}: ` +
      'another program has changed it. Start the connector again to continue from there.',
  )
}
