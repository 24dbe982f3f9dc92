import { once } from 'node:events'
import type { CollectedMetrics } from '@headrace/queue/metrics'
import type { Gateway } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { openOrMakeQueue } from '../options/queue-options.ts'
import { metricsAddress } from '../options/run-options.ts'
import { announce, type ServeOptions } from './announce.ts'
import { startGateway } from './start-gateway.ts'

export async function runGateway(options: ServeOptions, context: CommandContext): Promise<void> {
  const { host, port, environment } = options
  const signal = context.shutdownSignal()
  const { log } = context.startLogging()
  await using queue = await openOrMakeQueue(options, context, { log })
  const metrics = metricsAddress(options)
  const gateway = await startGateway({ queue, log, host, port, environment, ...(metrics && { metrics }) })
  const revokeKey = await announce(queue, { url: gateway.url, options }, context)
  if (!signal.aborted) await once(signal, 'abort')
  log.info('stopping')
  await gateway.close()
  await revokeKey()
}

export type ToGateway =
  | { readonly type: 'start'; readonly number: number }
  | { readonly type: 'get_metrics'; readonly request: number }
  | { readonly type: 'stop' }

export type FromGateway =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: CollectedMetrics }

/** If the supervisor dies, Node ends this process. */
export async function workAsGateway(options: ServeOptions, context: CommandContext): Promise<void> {
  const { host, port, environment, gateways } = options
  const started = Promise.withResolvers<number>()
  const stop = new AbortController()
  const signal = AbortSignal.any([context.shutdownSignal(), stop.signal])
  let gateway: Gateway | undefined
  process.on('message', async (message: ToGateway) => {
    if (message.type === 'start') started.resolve(message.number)
    else if (message.type === 'stop') stop.abort()
    else send({ type: 'metrics', request: message.request, metrics: (await gateway?.metrics()) ?? [] })
  })
  const number = await started.promise
  const log = context.startLogging().log.child({ gateway: number })
  await using queue = await openOrMakeQueue(options, context, { log })
  gateway = await startGateway({ queue, log, host, port, environment, gateways, number })
  send({ type: 'listening', url: gateway.url })
  if (!signal.aborted) await once(signal, 'abort')
  log.info('stopping')
  await gateway.close()
}

function send(message: FromGateway): void {
  process.send!(message)
}
