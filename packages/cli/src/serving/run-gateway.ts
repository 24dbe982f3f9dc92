import { once } from 'node:events'
import { type Logger, type Queue, UserError } from '@headrace/queue'
import type { CollectedMetrics } from '@headrace/queue/metrics'
import {
  createGateway,
  createLeasedLimits,
  type FromLimits,
  type Gateway,
  type GatewayOptions,
  type ToLimits,
} from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import { openOrMakeQueue } from '../options/queue-options.ts'
import { metricsAddress } from '../options/run-options.ts'
import { gatewayOptions } from '../options/serving-options.ts'
import { type Announcement, announceProcess } from '../presence/announce-process.ts'
import { announce, type ServeOptions } from './announce.ts'

export const gatewayService = 'headrace-gateway'

export async function runGateway(options: ServeOptions, context: CommandContext): Promise<void> {
  const signal = context.shutdownSignal()
  const { log } = context.startLogging()
  await context.startTraces(gatewayService)
  await using queue = await openOrMakeQueue(options, context, { log })
  const metrics = metricsAddress(options)
  const gateway = await startGateway({
    queue,
    log,
    ...gatewayOptions(options),
    ...registriesOf(context),
    ...(metrics && { metrics }),
  })
  const announcement = announceGateway(gateway, { queue, log, options, signal })
  const revokeKey = await announce(queue, { url: gateway.url, options }, context)
  if (!signal.aborted) await once(signal, 'abort')
  log.info('stopping')
  await gateway.close()
  await announcement.end(stopped)
  await revokeKey()
}

export type ToGateway =
  | { readonly type: 'start'; readonly number: number }
  | { readonly type: 'get_metrics'; readonly request: number }
  | { readonly type: 'limits'; readonly message: FromLimits }
  | { readonly type: 'stop' }

export type FromGateway =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: CollectedMetrics }
  | { readonly type: 'limits'; readonly message: ToLimits }

/** If the supervisor dies, Node ends this process. */
export async function workAsGateway(options: ServeOptions, context: CommandContext): Promise<void> {
  const started = Promise.withResolvers<number>()
  const stop = new AbortController()
  const signal = AbortSignal.any([context.shutdownSignal(), stop.signal])
  const limitStore = createLeasedLimits({ send: (message) => send({ type: 'limits', message }) })
  let gateway: Gateway | undefined
  process.on('message', async (message: ToGateway) => {
    if (message.type === 'start') started.resolve(message.number)
    else if (message.type === 'stop') stop.abort()
    else if (message.type === 'limits') limitStore.receive(message.message)
    else send({ type: 'metrics', request: message.request, metrics: (await gateway?.metrics()) ?? [] })
  })
  const number = await started.promise
  const log = context.startLogging().log.child({ gateway: number })
  await context.startTraces(gatewayService)
  await using queue = await openOrMakeQueue(options, context, { log })
  gateway = await startGateway({ queue, log, ...gatewayOptions(options), ...registriesOf(context), limitStore, number })
  const announcement = announceGateway(gateway, { queue, log, options, signal })
  send({ type: 'listening', url: gateway.url })
  if (!signal.aborted) await once(signal, 'abort')
  log.info('stopping')
  await gateway.close()
  await announcement.end(stopped)
  limitStore.close()
}

const stopped = { reason: 'stopped', exitCode: exitCodes.done } as const

interface AnnouncedGatewayOptions {
  readonly queue: Queue
  readonly log: Logger
  readonly options: ServeOptions
  readonly signal: AbortSignal
}

function announceGateway(gateway: Gateway, { queue, log, options, signal }: AnnouncedGatewayOptions): Announcement {
  const { url: address } = gateway
  const facts = () => {
    const state = signal.aborted ? ('draining' as const) : ('serving' as const)
    const { environment } = options
    return { kind: 'gateway' as const, address, environment, state, connections: gateway.connections() }
  }
  return announceProcess({ queue, log, facts })
}

function registriesOf({ environment }: CommandContext): Pick<GatewayOptions, 'schemaRegistries'> {
  return { schemaRegistries: environment.schemaRegistries }
}

function send(message: FromGateway): void {
  process.send!(message)
}

type ListeningOptions = GatewayOptions & Required<Pick<GatewayOptions, 'host' | 'port'>>

export async function startGateway(options: ListeningOptions): Promise<Gateway> {
  try {
    return await createGateway(options)
  } catch (error) {
    throw isListenError(error) ? listenFailed(options, error) : error
  }
}

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  // In a cluster worker the call is `bind`.
  return error instanceof Error && ['listen', 'bind'].includes((error as NodeJS.ErrnoException).syscall ?? '')
}

function listenFailed({ host, port }: ListeningOptions, cause: NodeJS.ErrnoException): UserError {
  const reasons: Record<string, string> = {
    EACCES: 'only an administrator may use this port',
    EADDRINUSE: 'another program uses this port',
    EADDRNOTAVAIL: 'this machine does not have that address',
  }
  const reason = reasons[cause.code ?? ''] ?? cause.message
  const option = cause.code === 'EADDRNOTAVAIL' ? '--host' : '--port (0: any free one)'
  return new UserError(
    'listen_failed',
    `The gateway cannot listen on ${host}, port ${port}: ${reason}. Choose another ${option}.`,
    { cause },
  )
}
