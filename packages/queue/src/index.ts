export { type Claim, ownersTopic } from './claim.ts'
export { type DiagnoseQueueOptions, describeClient, diagnoseQueue } from './diagnose-queue.ts'
export { errorReason } from './error-reason.ts'
export {
  CommitUnknownError,
  DamagedBatchError,
  DamagedStorageError,
  FencedError,
  HeadraceError,
  type HeadraceErrorOptions,
  PositionLostError,
  QueueUnavailableError,
  queueErrorCodes,
  RecordTooLargeError,
  type Remedy,
  RetryableError,
  TopicMismatchError,
  TransactionAbortedError,
  TransactionTimedOutError,
  UnknownTopicError,
  UserError,
} from './errors.ts'
export type { Finding, LostOffsets } from './finding.ts'
export { defaultKafkaSettings, type KafkaSettings } from './kafka/connection/kafka-settings.ts'
export type { Logger } from './logger.ts'
export { type OpenQueueOptions, openQueue } from './open-queue.ts'
export { partitionForKey } from './partitioner.ts'
export type {
  Cleanup,
  NewRecord,
  PartitionBounds,
  PartitionOffset,
  Queue,
  ReadLimits,
  ReadResult,
  TopicDescription,
  TopicPartition,
  TopicSpec,
  Transaction,
  Writer,
  WriterOptions,
} from './queue.ts'
export { defaultQueueUrl } from './queue-url.ts'
export { type FollowTableOptions, followTable } from './reading/follow-table.ts'
export { type OffsetRange, type RangeReader, type ReadRangeOptions, readRange } from './reading/read-range.ts'
export { readTable } from './reading/read-table.ts'
export { type Compression, compressions } from './record-batch/compression.ts'
export type { Header, QueueRecord, RecordBatch } from './record-batch/record-batch.ts'
export { type ResetQueueOptions, resetQueue } from './reset-queue.ts'
export { createRetention, type KeptRecords, type Retention, type RetentionPolicy } from './retention.ts'
export { type Stopwatch, startStopwatch } from './stopwatch.ts'
export { unlessAborted } from './unless-aborted.ts'
