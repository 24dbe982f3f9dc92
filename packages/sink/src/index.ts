export {
  type Destination,
  defineSink,
  type Holding,
  type SinkBatch,
  type SinkContext,
  type SinkDefinition,
  type SinkRecord,
  type SinkTopic,
  type StoredRow,
} from './destination/destination.ts'
export { sinkErrorCodes, takenOver } from './errors.ts'
export type { FieldType, TopicField } from './field/topic-fields.ts'
export type { SinkClient } from './running/read-batches.ts'
export type { Finality } from './running/read-final.ts'
export { type RunSinkOptions, runSink, type SinkSummary } from './running/run-sink.ts'
export { createSinkMeter, type SinkMeter } from './running/sink-meter.ts'
export { serveSinkMetrics, totalLag } from './running/sink-metrics.ts'
export {
  type SinkFinding,
  type SinkVerification,
  sinkFindingCodes,
  type VerifySinkOptions,
  verifySink,
} from './verification/verify-sink.ts'
