import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { CollectedMetrics } from '@headrace/queue/metrics'
import type { FromGateway, ToGateway } from './process-messages.ts'

/** A gateway process, as the supervisor sees it. */
export interface GatewayProcess {
  readonly number: number
  readonly pid: number
  /** URL of the gateway; `undefined` if the process ended before it listened. */
  readonly listening: Promise<string | undefined>
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Its metrics; none if it does not answer in time. */
  metrics(): Promise<CollectedMetrics>
  /** Lets it close its connections, and kills it if that takes too long. */
  stop(): void
}

/** Time to close, in ms; more than a gateway needs. */
const stopMs = 30_000
const metricsMs = 3000

/** Starts this command again as a gateway process. With port 0 all processes get the same port. */
export function forkGateway(number: number): GatewayProcess {
  const worker = cluster.fork()
  const exited = once(worker, 'exit').then(([code, signal]) => ({ code, signal }))
  const waiting = new Map<number, (metrics: CollectedMetrics) => void>()
  let requests = 0
  const listening = new Promise<string | undefined>((resolve) => {
    worker.on('message', (message: FromGateway) => {
      if (message.type === 'listening') resolve(message.url)
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
    async metrics() {
      const request = requests++
      const answer = new Promise<CollectedMetrics>((resolve) => waiting.set(request, resolve))
      send({ type: 'get_metrics', request })
      const metrics = await Promise.race([answer, wait(metricsMs, [], { ref: false })])
      waiting.delete(request)
      return metrics
    },
    stop() {
      send({ type: 'stop' })
      const kill = setTimeout(() => worker.process.kill('SIGKILL'), stopMs)
      void exited.then(() => clearTimeout(kill))
    },
  }

  function send(message: ToGateway): void {
    // A process that cannot receive it is about to end, which `exited` reports.
    worker.send(message, () => undefined)
  }
}
