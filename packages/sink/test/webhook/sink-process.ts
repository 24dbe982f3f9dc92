import { createClient } from '@headrace/client'
import { runSink } from '@headrace/sink'
import { webhookSink } from '@headrace/sink/webhook'
import { pino } from 'pino'

export interface SinkProcessOptions {
  readonly gateway: string
  readonly apiKey: string
  readonly url: string
  readonly secret: string
  readonly state: string
  readonly topic: string
}

const { gateway, apiKey, topic, ...options } = JSON.parse(process.argv[2]!) as SinkProcessOptions
await runSink({
  sink: webhookSink({ ...options, timeoutMs: 300 }),
  client: createClient({ url: gateway, apiKey }),
  topics: [topic],
  signal: new AbortController().signal,
  log: pino({ level: 'warn' }, pino.destination(2)),
})
