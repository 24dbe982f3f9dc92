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
 * The conformance suite: vitest tests of the `Queue` interface that every engine must pass. Names of topics and writers
 * are unique in each run, so the storage may be reused.
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
