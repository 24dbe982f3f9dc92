export type { WebhookSinkOptions } from './options.ts'
export { webhookSink } from './webhook-sink.ts'
