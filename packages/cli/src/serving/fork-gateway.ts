import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { CollectedMetrics } from '@headrace/queue/metrics'
import type { FromGateway, ToGateway } from './process-messages.ts'

/** A process that serves, as the first one sees it. */
export interface GatewayProcess {
  readonly number: number
  readonly pid: number
  /** Where it listens; `undefined` where it ended before it did. */
  readonly listening: Promise<string | undefined>
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Its metrics; none where it does not answer soon. */
  metrics(): Promise<CollectedMetrics>
  /** Lets it end its connections, and kills it where that takes too long. */
  stop(): void
}

/** Longer than a gateway takes to close, in ms. */
const stopMs = 30_000
const metricsMs = 3000

/** Starts this command once more, to serve as the gateway of a number. With port 0 all get the same one. */
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
  tell({ type: 'start', number })

  return {
    number,
    pid: worker.process.pid!,
    listening,
    exited,
    async metrics() {
      const request = requests++
      const answer = new Promise<CollectedMetrics>((resolve) => waiting.set(request, resolve))
      tell({ type: 'tell_metrics', request })
      const metrics = await Promise.race([answer, wait(metricsMs, [], { ref: false })])
      waiting.delete(request)
      return metrics
    },
    stop() {
      tell({ type: 'stop' })
      const kill = setTimeout(() => worker.process.kill('SIGKILL'), stopMs)
      void exited.then(() => clearTimeout(kill))
    },
  }

  function tell(message: ToGateway): void {
    // Whoever cannot be told is about to end, which is noticed elsewhere.
    worker.send(message, () => undefined)
  }
}
