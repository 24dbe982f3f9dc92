export type { ParquetSinkOptions } from './options.ts'
export { parquetSink } from './parquet-sink.ts'
