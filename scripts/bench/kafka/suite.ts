import type { Queue } from '@headrace/queue'
import { createKafkaQueue } from '../../../packages/queue/src/kafka/kafka-queue.ts'
import { startKafka } from '../../../packages/testbed/kafka/start-kafka.ts'
import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { openOurs } from './in-process.ts'
import { openJava } from './java-peer.ts'
import { openKafkajs } from './kafkajs-peer.ts'
import {
  blockWorkload,
  type Contestant,
  manyRecordsWorkload,
  recordsPerTransaction,
  type Workload,
} from './workload.ts'

/** Transactions on a real broker, against Kafka's Java producer and kafkajs. */
export const kafkaSuite: Suite = { name: 'kafka', open }

async function open({ quick, signal }: BenchContext): Promise<OpenSuite | { unavailable: string }> {
  const kafka = await startKafka({ signal, fullSpeed: true })
  if ('unavailable' in kafka) return kafka
  if (kafka.classpath.length === 0) {
    await kafka.stop()
    return { unavailable: 'its Java peer needs Java 17 and Maven on this machine' }
  }
  const { bootstrap } = kafka
  const [host, port] = bootstrap.split(':')
  const queue = await createKafkaQueue({
    bootstrap: [{ host: host!, port: Number(port) }],
    settings: { compression: 'none' },
  })
  const topics = await createTopics(queue)
  const contestants = {
    ours: await openOurs(queue, topics.ours),
    java: await openJava(kafka, topics.java),
    kafkajs: await openKafkajs(bootstrap, topics.kafkajs),
  }
  return {
    benches: benches(contestants, quick),
    async close() {
      await Promise.all(Object.values(contestants).map((contestant) => contestant.close()))
      await kafka.stop()
    },
  }
}

async function createTopics(queue: Queue): Promise<Record<'ours' | 'java' | 'kafkajs', string[]>> {
  const names = (client: string): string[] =>
    ['block', 'transaction', 'checkpoint'].map((part) => `bench-${client}-${part}`)
  const topics = { ours: names('ours'), java: names('java'), kafkajs: names('kafkajs') }
  await queue.createTopics(Object.values(topics).flatMap((names) => names.map((name) => ({ name }))))
  return topics
}

function benches(contestants: Record<'ours' | 'java' | 'kafkajs', Contestant>, quick: boolean): Bench[] {
  const { ours, java, kafkajs } = contestants
  const durationMs = quick ? 1_000 : 4_000
  const pace = { count: quick ? 10 : 40, everyMs: 100 }
  const transactions = (contestant: Contestant) => () => contestant.backToBack(blockWorkload, durationMs)
  const latency = (contestant: Contestant) => () => contestant.paced(blockWorkload, pace)
  const records = (contestant: Contestant, workload: Workload) => async () =>
    (await contestant.backToBack(workload, durationMs)) * recordsPerTransaction(workload)
  return [
    {
      name: 'Kafka, 1 + 157 + 1 records, back to back',
      unit: 'txn/s',
      better: 'higher',
      contestants: { ours: transactions(ours), java: transactions(java), kafkajs: transactions(kafkajs) },
      targets: { java: 2, kafkajs: 6 },
    },
    {
      name: 'Kafka, 1 + 157 + 1 records, every 100 ms, p50',
      unit: 'ms',
      better: 'lower',
      contestants: { ours: latency(ours), java: latency(java) },
      targets: { java: 1.5 },
    },
    {
      name: 'Kafka, 2,000 × 200 B, back to back',
      unit: 'records/s',
      better: 'higher',
      contestants: { ours: records(ours, manyRecordsWorkload), java: records(java, manyRecordsWorkload) },
      targets: { java: 1.2 },
    },
  ]
}
