export type { Batch, BatchOf, Gap, Page, PageOf } from './batch.ts'
export { type Client, type ClientOptions, createClient, type HistoryOptions, type StreamOptions } from './client.ts'
export {
  ClientError,
  clientErrorCodes,
  InvalidOptionError,
  PositionUnavailableError,
  RecordsMissingError,
  RefusedError,
  UnavailableError,
} from './errors.ts'
export type { Position, Positions } from './position.ts'
export type { AppendRecord, DataRecord, RevertRecord } from './record.ts'
export type { RetryNotice } from './retry/retry.ts'
