import * as queue from '@headrace/queue'
import { expect, it } from 'vitest'

it('the package exports the documented names and no others', () => {
  expect(Object.keys(queue).toSorted()).toMatchInlineSnapshot(`
    [
      "CommitUnknownError",
      "DamagedBatchError",
      "DamagedStorageError",
      "FencedError",
      "HeadraceError",
      "PositionLostError",
      "QueueUnavailableError",
      "RecordTooLargeError",
      "RetryableError",
      "TopicMismatchError",
      "TransactionAbortedError",
      "TransactionTimedOutError",
      "UnknownTopicError",
      "UserError",
      "compressions",
      "createRetention",
      "defaultKafkaSettings",
      "defaultQueueUrl",
      "describeClient",
      "diagnoseQueue",
      "errorReason",
      "followTable",
      "openQueue",
      "ownersTopic",
      "partitionForKey",
      "queueErrorCodes",
      "readRange",
      "readTable",
      "resetQueue",
      "startStopwatch",
      "unlessAborted",
    ]
  `)
})
