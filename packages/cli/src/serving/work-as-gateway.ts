import { once } from 'node:events'
import type { Gateway } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { openOrMakeQueue } from '../options/queue-options.ts'
import type { FromGateway, ToGateway } from './process-messages.ts'
import type { ServeOptions } from './serve-options.ts'
import { startGateway } from './start-gateway.ts'

/**
 * Serves as one of several processes, until the supervisor stops it or a signal comes (a terminal sends it to all
 * processes). If the supervisor dies, Node ends this process.
 */
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
  const queue = await openOrMakeQueue(options, context, log)
  try {
    gateway = await startGateway({ queue, log, host, port, environment, gateways, number })
    send({ type: 'listening', url: gateway.url })
    if (!signal.aborted) await once(signal, 'abort')
    log.info('stopping')
    await gateway.close()
  } finally {
    await queue.close()
  }
}

function send(message: FromGateway): void {
  process.send!(message)
}
