import { expect } from 'vitest'
import {
  CommitUnknownError,
  FencedError,
  type Queue,
  QueueUnavailableError,
  type Transaction,
  TransactionAbortedError,
  type Writer,
} from '../../src/index.ts'
import { checkpointOf, dataTopics, readCheckpoint, readPartition, unitRecords } from '../units.ts'

/** One transaction of a publisher. Its records and its checkpoint have its number. */
interface Attempt {
  readonly number: number
  /** The error that its commit threw. `null` where it threw none, or was not called. */
  thrown: Error | null
}

/** What is waited for at moments of one transaction. */
export interface PublishSteps {
  /** Before the first record is sent. */
  begun?(): Promise<void>
  /** When a batch with a part of the unit has left. Without this step the unit is small, and leaves with its commit. */
  halfSent?(number: number): Promise<void>
  /** When every record is sent, before the commit. */
  sent?(): Promise<void>
}

export interface RecordedPublisherOptions {
  readonly series: string
  /** Whether it opens a writer again with a new claim, as a run that is started again does. */
  readonly newClaims: boolean
}

/** Publishes units as a run of a connector does, and records the outcome that was reported of each transaction. */
export interface RecordedPublisher {
  /** How many units it has published. */
  readonly units: number
  /** How often each error was thrown, by its name. */
  readonly errors: ReadonlyMap<string, number>
  /** Sets the queue to open the next writer on. */
  use(queue: Queue): void
  /** Opens a writer and reads the checkpoint, until both succeed. */
  open(): Promise<void>
  /** Publishes the next unit, until it is known to be there. The steps are taken in the first transaction only. */
  publish(steps?: PublishSteps): Promise<void>
  /** Aborts a transaction of which batches have left. */
  giveUp(beforeAbort: () => Promise<void>): Promise<void>
  /**
   * Expects that each unit is there once and in order, and nothing else: so a commit that was reported as refused has not
   * taken place, and one that was reported as done has.
   */
  expectEachUnitOnce(reading: Queue): Promise<void>
}

export function createRecordedPublisher(options: RecordedPublisherOptions): RecordedPublisher {
  const { series, newClaims } = options
  const attempts: Attempt[] = []
  /** Numbers of the attempts that published a unit, in order of the units. */
  const published: number[] = []
  const errors = new Map<string, number>()
  let queue: Queue | undefined
  let writer: Writer | undefined
  let claims = 0

  function note(error: Error): void {
    errors.set(error.constructor.name, (errors.get(error.constructor.name) ?? 0) + 1)
  }

  function nextAttempt(size: 'small' | 'large'): Attempt {
    const next = (attempts.at(-1)?.number ?? -1) + 1
    // The units of odd numbers are large.
    const number = next % 2 === (size === 'large' ? 1 : 0) ? next : next + 1
    const attempt = { number, thrown: null }
    attempts.push(attempt)
    return attempt
  }

  async function open(): Promise<number> {
    for (let tries = 1; ; tries++) {
      try {
        writer = await queue!.openWriter({ id: series, claim: `run ${claims}` })
        return await readCheckpoint(queue!, series)
      } catch (error) {
        if (!(error instanceof QueueUnavailableError || error instanceof FencedError) || tries === mostTries)
          throw error
        note(error)
        // A claim that arrives late fences a newer one. Its run has ended, so another run is started.
        if (newClaims || error instanceof FencedError) claims++
      }
    }
  }

  async function reopen(): Promise<number> {
    if (newClaims) claims++
    return open()
  }

  async function commit(transaction: Transaction, attempt: Attempt): Promise<boolean> {
    try {
      await transaction.commit()
      return true
    } catch (error) {
      if (!isExpected(error)) throw error
      note(error)
      attempt.thrown = error
      if (error instanceof TransactionAbortedError) return abort(transaction)
      const last = published.at(-1) ?? -1
      const found = await reopen()
      expect([last, attempt.number], `checkpoint after ${error.name} of ${attempt.number}`).toContain(found)
      return found === attempt.number
    }
  }

  async function abort(transaction: Transaction): Promise<false> {
    for (let tries = 1; ; tries++) {
      try {
        await transaction.abort()
        return false
      } catch (error) {
        if (!isExpected(error) || tries === mostTries) throw error
        note(error)
        // A run ends with this error, and the next run opens a writer. Other callers may repeat the abort.
        if (!newClaims && error instanceof QueueUnavailableError) continue
        await writer!.close()
        await reopen()
        return false
      }
    }
  }

  return {
    get units() {
      return published.length
    },
    errors,
    use(other) {
      queue = other
    },
    async open() {
      expect(await reopen(), 'checkpoint at the start').toBe(published.at(-1) ?? -1)
    },
    async publish(steps = {}) {
      for (let { begun, halfSent, sent } = steps; ; begun = halfSent = sent = undefined) {
        const attempt = nextAttempt(halfSent ? 'large' : 'small')
        const transaction = writer!.begin()
        await begun?.()
        const records = unitRecords(series, attempt.number)
        for (const record of records.slice(0, records.length / 2)) transaction.send(record)
        await halfSent?.(attempt.number)
        for (const record of records.slice(records.length / 2)) transaction.send(record)
        transaction.send(checkpointOf(series, attempt.number))
        await sent?.()
        if (!(await commit(transaction, attempt))) continue
        published.push(attempt.number)
        return
      }
    },
    async giveUp(beforeAbort) {
      const { number } = nextAttempt('large')
      const transaction = writer!.begin()
      for (const record of unitRecords(series, number)) transaction.send(record)
      await transaction.drain()
      await beforeAbort()
      await abort(transaction)
    },
    async expectEachUnitOnce(reading) {
      const refused = attempts.filter(({ thrown }) => thrown instanceof TransactionAbortedError)
      for (const topic of dataTopics(series)) {
        const visible = await readPartition(reading, topic)
        const there = new Set(visible.map((value) => Number(value.split('/')[0])))
        const wrong = refused.filter(({ number }) => there.has(number)).map(({ thrown }) => thrown!.message)
        expect(wrong, 'commits that took place and were reported as refused').toEqual([])
        expect(visible, topic).toEqual(published.flatMap((number) => valuesOf(series, number, topic)))
      }
    },
  }
}

const mostTries = 20

function isExpected(error: unknown): error is Error {
  return (
    error instanceof TransactionAbortedError ||
    error instanceof CommitUnknownError ||
    error instanceof QueueUnavailableError ||
    error instanceof FencedError
  )
}

function valuesOf(series: string, number: number, topic: string): string[] {
  const records = unitRecords(series, number).filter((record) => record.topic === topic)
  return records.map(({ value }) => Buffer.from(value!).toString())
}
