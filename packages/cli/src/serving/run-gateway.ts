import { once } from 'node:events'
import type { CommandContext } from '../command-context.ts'
import { openOrMakeQueue } from '../options/queue-options.ts'
import { announce } from './announce.ts'
import type { ServeOptions } from './serve-options.ts'
import { startGateway } from './start-gateway.ts'

/** Serves from this process until a signal comes. */
export async function runGateway(options: ServeOptions, context: CommandContext): Promise<void> {
  const { metricsPort, metricsHost, host, port, environment } = options
  const signal = context.shutdownSignal()
  const { log } = context.startLogging()
  const queue = await openOrMakeQueue(options, context, log)
  try {
    const metrics = metricsPort === undefined ? {} : { metrics: { port: metricsPort, host: metricsHost } }
    const gateway = await startGateway({ queue, log, host, port, environment, ...metrics })
    const revokeKey = await announce(queue, { url: gateway.url, options, signal }, context)
    if (!signal.aborted) await once(signal, 'abort')
    log.info('stopping')
    await gateway.close()
    await revokeKey()
  } finally {
    await queue.close()
  }
}
