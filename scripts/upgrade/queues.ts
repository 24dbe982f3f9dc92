import { join } from 'node:path'
import { startOwnKafka } from '../../packages/testbed/kafka/start-kafka.ts'

/** A queue that nobody has written to. */
export interface FreshQueue {
  readonly name: string
  readonly url: string
  stop(): Promise<void>
}

export const queues: Readonly<Record<string, (folder: string) => Promise<FreshQueue | { unavailable: string }>>> = {
  async embedded(folder) {
    return { name: 'embedded', url: `embedded:${join(folder, 'queue')}`, stop: async () => {} }
  },
  async Kafka() {
    const kafka = await startOwnKafka()
    return 'unavailable' in kafka ? kafka : { name: 'Kafka', url: `kafka://${kafka.bootstrap}`, stop: kafka.stop }
  },
}
