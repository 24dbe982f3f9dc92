import { describe } from 'vitest'
import { describeAppend } from './append.ts'
import { describeClose } from './close.ts'
import { describeConcurrency } from './concurrency.ts'
import { describeCreateTopics } from './create-topics.ts'
import { describeDeleteBefore } from './delete-before.ts'
import { describeDescribe } from './describe.ts'
import { describeFollow } from './follow.ts'
import { describeHighWatermark } from './high-watermark.ts'
import { describeLatest } from './latest.ts'
import { describeOffsetForTime } from './offset-for-time.ts'
import { describeOpenWriter } from './open-writer.ts'
import { describeRead } from './read.ts'
import { describeRecord } from './record.ts'
import { createSubject, type QueueHarness } from './subject.ts'
import { describeTransaction } from './transaction.ts'
import { describeWriter } from './writer.ts'

/**
 * Defines what a queue is, as vitest tests that every engine passes, in the order of `queue.ts`. Topics and writers get
 * names of their own in every run, so one long-lived storage serves for any number of runs.
 *
 * @example
 * ```ts
 * describeQueue('my engine', { open: () => openMyQueue(storage) })
 * ```
 */
export function describeQueue(name: string, harness: QueueHarness): void {
  describe(name, () => {
    const subject = createSubject(harness)
    describeCreateTopics(subject)
    describeDescribe(subject)
    describeOpenWriter(subject)
    describeWriter(subject)
    describeTransaction(subject)
    describeAppend(subject)
    describeRecord(subject)
    describeRead(subject)
    describeLatest(subject)
    describeHighWatermark(subject)
    describeOffsetForTime(subject)
    describeDeleteBefore(subject)
    describeFollow(subject)
    describeClose(subject)
    describeConcurrency(subject)
  })
}
