export {
  type LoadedProject,
  loadProject,
  type Problem,
  type Project,
  resolveSettings,
  type Settings,
  type SettingsSources,
} from '@headrace/catalog'
export {
  errorReason,
  HeadraceError,
  type OpenQueueOptions,
  openQueue,
  type Queue,
  RetryableError,
  UserError,
} from '@headrace/queue'
export type { MetricsAddress } from '@headrace/queue/metrics'
export {
  type AnyUnit,
  type Connector,
  defineConnector,
  type EncodedUnit,
  type Source,
  type Unit,
  type Units,
} from './connector/connector.ts'
export type { Published, PublishedMessage, PublishedUnit } from './connector/published.ts'
export {
  type DefinedSchema,
  defineSchema,
  type EncodedMessage,
  type EncodedMessages,
  type MessageCodec,
  type MessageOf,
  type Messages,
  type Schema,
} from './connector/schema.ts'
export { validateManifest } from './connector/validate-manifest.ts'
export { SourceFailedError, sdkErrorCodes } from './errors.ts'
export { type ProcessConnectorOptions, type ProcessLimits, processConnector } from './process/process-connector.ts'
export { readCheckpoints } from './runtime/checkpoint/read-checkpoints.ts'
export {
  type ResetCheckpointOptions,
  type ResetSummary,
  type ResetTarget,
  resetCheckpoint,
} from './runtime/reset/reset-checkpoint.ts'
export { runConnector } from './runtime/run-connector.ts'
export type { RetryLimits, RunObserver, RunOptions, RunSummary, RunTotals } from './runtime/run-options.ts'
export { type EndpointFailure, parseRetryAfter } from './source/fetch/endpoint-failure.ts'
export type { Endpoint, EndpointHealth } from './source/fetch/endpoint-state.ts'
export { createEndpoints, type Endpoints, type EndpointsOptions } from './source/fetch/endpoints.ts'
export { type FetchInOrderOptions, fetchInOrder } from './source/fetch/fetch-in-order.ts'
export type { EachRequest, EndpointReply } from './source/fetch/request-each.ts'
export type { EndpointRequest } from './source/fetch/request-one.ts'
export { type Traced, traceFetch, traceStep } from './source/fetch/trace-fetch.ts'
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
export type { UnitChoice } from './verification/chosen-units.ts'
export { type VerifyFinding, verifyFindingCodes } from './verification/finding.ts'
export { type VerifyOptions, type VerifySummary, verifyConnector } from './verification/verify-connector.ts'
