export type { PostgresSinkOptions } from './options.ts'
export { postgresSink } from './postgres-sink.ts'
