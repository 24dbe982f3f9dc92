import { describe } from 'vitest'
import { describeAppend } from './append.ts'
import { describeFencing } from './fencing.ts'
import { describeFollow } from './follow.ts'
import { describeLookups } from './lookups.ts'
import { describeReading } from './reading.ts'
import { describeRecords } from './records.ts'
import { describeRetention } from './retention.ts'
import { createSubject, type QueueHarness } from './subject.ts'
import { describeTopics } from './topics.ts'
import { describeTransactions } from './transactions.ts'

/**
 * Defines what a queue is, as vitest tests that every engine passes. Topics and writers get names of their own in every
 * run, so one long-lived storage serves for any number of runs.
 *
 * @example
 * ```ts
 * describeQueue('my engine', { open: () => openMyQueue(storage) })
 * ```
 */
export function describeQueue(name: string, harness: QueueHarness): void {
  describe(name, () => {
    const subject = createSubject(harness)
    describeTopics(subject)
    describeTransactions(subject)
    describeFencing(subject)
    describeAppend(subject)
    describeReading(subject)
    describeFollow(subject)
    describeRecords(subject)
    describeLookups(subject)
    describeRetention(subject)
  })
}
