import { type ClientOptions, createClient } from '@headrace/client'
import { createSinkMeter, runSink, type SinkClient, type SinkSummary, serveSinkMetrics } from '@headrace/sink'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import type { QueueOptions } from '../options/queue-options.ts'
import { type MetricsOptions, metricsAddress } from '../options/run-options.ts'
import type { SinkOptions, SinkWriteOptions } from '../options/sink-options.ts'
import { withGateway } from '../serving/with-gateway.ts'
import { loadSink } from './load-sink.ts'
import { showSinkProgress } from './show-sink-progress.ts'

export interface SinkCommandOptions extends SinkOptions, SinkWriteOptions, QueueOptions, MetricsOptions {
  readonly once?: true
}

export async function runSinkCommand(
  destination: string,
  options: SinkCommandOptions,
  baseContext: CommandContext,
): Promise<SinkSummary> {
  const context = await withEnvFile('.', baseContext)
  const sink = await loadSink(destination, options, context.environment)
  const signal = context.shutdownSignal()
  const { log, status } = context.startLogging()
  const meter = createSinkMeter()
  const topics = options.topic.map(({ topic }) => topic)
  const address = metricsAddress(options)
  const server = address && (await serveSinkMetrics(address, { meter, signal }))
  if (server) log.info({ url: server.url }, 'serving metrics')
  const progress = status && showSinkProgress(status, meter)
  try {
    return await withSinkClient(options, context, (client) =>
      runSink({
        ...{ sink, name: options.name, client, topics, finality: options.final, signal, log, meter },
        ...(options.once && { until: 'head' as const }),
      }),
    )
  } finally {
    progress?.end()
    await server?.close()
  }
}

/** Reads the gateway that is given, or the queue through a gateway in this process. */
export async function withSinkClient<Result>(
  options: SinkOptions & QueueOptions,
  context: CommandContext,
  use: (client: SinkClient) => Promise<Result>,
): Promise<Result> {
  const { environment, warn } = context
  const { log } = context.startLogging()
  const onRetry: ClientOptions['onRetry'] = ({ error, delayMs }) =>
    log.warn({ code: error.code, error: error.message, retryInMs: Math.round(delayMs) }, 'gateway failed')
  if (options.from === undefined)
    return withGateway(options, context, ({ url, key: apiKey, readPage }) =>
      use(createClient({ url, apiKey, onRetry, readPage })),
    )
  const { apiKey = '' } = environment
  if (apiKey === '') warn('HEADRACE_API_KEY is not set, and live records need a key.')
  return use(createClient({ url: options.from, apiKey, onRetry }))
}
