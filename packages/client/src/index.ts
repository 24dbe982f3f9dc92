export type { AppendRecord, Batch, BatchOf, DataRecord, Gap, Page, PageOf, RevertRecord } from './batch.ts'
export { type Client, createClient } from './client.ts'
export {
  ClientError,
  clientErrorCodes,
  InvalidOptionError,
  PositionUnavailableError,
  RecordsMissingError,
  RefusedError,
  UnavailableError,
} from './errors.ts'
export type { ClientOptions, HistoryOptions, StreamOptions } from './options.ts'
export type { Position, Positions } from './position.ts'
export type { RetryNotice } from './retry.ts'
export type {
  ConnectorName,
  ConnectorState,
  HourlyUsage,
  NewestRecord,
  Quota,
  QuotaLimit,
  Rate,
  ReorganisationState,
  RequestOptions,
  Topic,
  TopicSummary,
  Usage,
  UsageCounts,
  UsageOptions,
} from './state.ts'
