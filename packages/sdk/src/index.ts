export { HeadraceError, RetryableError, UserError } from '@headrace/queue'
export type { MetricsAddress } from '@headrace/queue/metrics'
export { type Connector, defineConnector } from './connector/connector.ts'
export { type DefinedSchema, defineSchema, type MessageCodec, type MessageOf, type Schema } from './connector/schema.ts'
export type { Source } from './connector/source.ts'
export type { Messages, Unit, Units } from './connector/unit.ts'
export { SourceFailedError, sdkErrorCodes } from './errors.ts'
export { type ProcessConnectorOptions, type ProcessLimits, processConnector } from './process/process-connector.ts'
export { readCheckpoints } from './runtime/reset/read-checkpoints.ts'
export {
  type ResetCheckpointOptions,
  type ResetSummary,
  type ResetTarget,
  resetCheckpoint,
} from './runtime/reset/reset-checkpoint.ts'
export { runConnector } from './runtime/run-connector.ts'
export type { RetryLimits, RunObserver, RunOptions, RunSummary, RunTotals } from './runtime/run-options.ts'
export type {
  InputPlace,
  InputRecord,
  InputTopic,
  InputTopics,
  MissingMessage,
  QueueCheckpoint,
  QueueInput,
} from './source/queue/queue-input.ts'
export { type QueueSourceOptions, queueSource } from './source/queue/queue-source.ts'
