import { afterAll, beforeAll } from 'vitest'
import { type KafkaProxy, startProxy } from '../../../testbed/kafka/proxy.ts'
import { startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import type { Queue } from '../../src/index.ts'
import type { KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import { openKafkaAt } from '../kafka-fixture.ts'

/** API keys of the requests of a writer. */
export const apiKeys = {
  produce: 0,
  fetch: 1,
  listOffsets: 2,
  initProducerId: 22,
  endTxn: 26,
} as const

/** A broker behind a proxy, for the tests of one `describe`. */
export interface ProxiedKafka {
  readonly proxy: KafkaProxy
  /** `host:port` of the proxy. */
  readonly bootstrap: string
  /** Opens a queue through the proxy. It is closed after the tests. */
  open(settings?: Partial<KafkaSettings>): Promise<Queue>
}

export interface ProxiedKafkaOptions {
  readonly transactionVersion: 0 | 2
}

export function useProxiedKafka({ transactionVersion }: ProxiedKafkaOptions): ProxiedKafka {
  const queues: Queue[] = []
  const closing: (() => Promise<void>)[] = []
  let proxy: KafkaProxy | undefined

  beforeAll(async () => {
    proxy = await startProxy()
    closing.push(proxy.close)
    const broker = await startOwnKafka({ advertisedPort: proxy.port, transactionVersion })
    if ('unavailable' in broker) throw new Error(broker.unavailable)
    closing.push(broker.stop)
    proxy.brokerPort = Number(broker.bootstrap.split(':')[1])
  })
  afterAll(async () => {
    for (const queue of queues) await queue.close()
    for (const close of closing.toReversed()) await close()
  })

  return {
    get proxy() {
      if (!proxy) throw new Error('The broker runs only while tests run.')
      return proxy
    },
    get bootstrap() {
      return `127.0.0.1:${this.proxy.port}`
    },
    async open(settings) {
      const queue = await openKafkaAt(this.bootstrap, settings)
      queues.push(queue)
      return queue
    },
  }
}
