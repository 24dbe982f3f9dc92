import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { CollectedMetrics } from '@headrace/queue/metrics'
import { createSharedLimits, type SharedLimits, serveGatewayMetrics } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { openQueueOf } from '../options/queue-options.ts'
import { metricsAddress } from '../options/run-options.ts'
import { announce, type ServeOptions } from './announce.ts'
import type { FromGateway, ToGateway } from './run-gateway.ts'

/** Ms before a dead process is replaced: it may die at each start. */
const restartMs = 1000
/** Longest time between the signal to a gateway process and the one to this process, in ms. */
const signalMs = 1000

/**
 * This process distributes all connections round-robin, which works on every system and also with port 0. It keeps the
 * limits of all of them.
 */
export async function superviseGateways(options: ServeOptions, context: CommandContext): Promise<void> {
  const signal = context.shutdownSignal()
  const { log } = context.startLogging()
  const running = new Map<number, GatewayProcess>()
  const limits = createSharedLimits()
  cluster.schedulingPolicy = cluster.SCHED_RR

  const start = (number: number) => {
    const gateway = forkGateway(number, limits)
    running.set(number, gateway)
    log.info({ gateway: number, pid: gateway.pid }, 'gateway process started')
    return gateway
  }
  signal.addEventListener('abort', stopAll, { once: true })
  // The first process reports problems with the queue or the address.
  const first = start(1)
  const url = await first.listening
  if (url === undefined) {
    const { code } = await first.exited
    // On a terminal the signal goes to all processes, in any order, and ends one that does not handle it yet.
    if (code === null) await wait(signalMs, undefined, { signal }).catch(() => undefined)
    return signal.aborted ? undefined : context.exitWith((code ?? exitCodes.bug) as ExitCode)
  }
  const metrics = () => Promise.all([...running.values()].map((each) => each.metrics()))
  const address = metricsAddress(options)
  const metricsServer = address && (await serveGatewayMetrics(address, metrics))
  if (metricsServer) log.info({ url: metricsServer.url }, 'metrics served')

  const others = signal.aborted ? [] : Array.from({ length: options.gateways - 1 }, (_, index) => start(index + 2))
  const kept = [first, ...others].map(keepRunning)
  await Promise.all(others.map(({ listening }) => listening))
  if (!signal.aborted) await showAndWait()
  await Promise.all(kept)
  await metricsServer?.close()

  async function showAndWait(): Promise<void> {
    await using queue = await openQueueOf(options, context, { log })
    const revokeKey = await announce(queue, { url: url!, options }, context)
    if (!signal.aborted) await once(signal, 'abort')
    await revokeKey()
  }

  async function keepRunning(gateway: GatewayProcess): Promise<void> {
    for (let current = gateway; ; current = start(gateway.number)) {
      const { code, signal: killedBy } = await current.exited
      running.delete(gateway.number)
      if (!signal.aborted) {
        log.error({ gateway: gateway.number, code, signal: killedBy }, 'gateway process died, starting another one')
        await wait(restartMs, undefined, { signal }).catch(() => undefined)
      }
      if (signal.aborted) return
    }
  }

  function stopAll(): void {
    log.info('stopping')
    for (const gateway of running.values()) gateway.stop()
  }
}

type GatewayProcess = ReturnType<typeof forkGateway>

const stopMs = 30_000
const metricsMs = 3000

/** With port 0 all processes get the same port. */
function forkGateway(number: number, limits: SharedLimits) {
  const worker = cluster.fork()
  const exited = once(worker, 'exit').then(([code, signal]) => ({ code: code as number | null, signal }))
  const waiting = new Map<number, (metrics: CollectedMetrics) => void>()
  let requests = 0
  const member = limits.join((message) => send({ type: 'limits', message }))
  void exited.then(() => member.leave())
  /** `undefined` if the process ended before it listened. */
  const listening = new Promise<string | undefined>((resolve) => {
    worker.on('message', (message: FromGateway) => {
      if (message.type === 'listening') resolve(message.url)
      else if (message.type === 'limits') member.receive(message.message)
      else waiting.get(message.request)?.(message.metrics)
    })
    void exited.then(() => resolve(undefined))
  })
  send({ type: 'start', number })

  return {
    number,
    pid: worker.process.pid!,
    listening,
    exited,
    /** None if it does not answer in time. */
    async metrics() {
      const request = requests++
      const answer = new Promise<CollectedMetrics>((resolve) => waiting.set(request, resolve))
      send({ type: 'get_metrics', request })
      const metrics = await Promise.race([answer, wait(metricsMs, [], { ref: false })])
      waiting.delete(request)
      return metrics
    },
    /** Lets it close its connections, and kills it if that takes too long. */
    stop() {
      send({ type: 'stop' })
      const kill = setTimeout(() => worker.process.kill('SIGKILL'), stopMs)
      void exited.then(() => clearTimeout(kill))
    },
  }

  function send(message: ToGateway): void {
    worker.send(message, () => undefined)
  }
}
