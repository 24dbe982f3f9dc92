import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { NewRecord, Queue, QueueRecord } from '../src/index.ts'
import type { KafkaSettings } from '../src/kafka/connection/kafka-settings.ts'
import { createKafkaQueue } from '../src/kafka/kafka-queue.ts'

export const kafka: string | null = inject('kafka')

export function openKafka(settings: Partial<KafkaSettings> = {}): Promise<Queue> {
  return openKafkaAt(kafka!, settings)
}

/** Opens a queue on the brokers at `host:port[,host:port]`. */
export function openKafkaAt(bootstrap: string, settings: Partial<KafkaSettings> = {}): Promise<Queue> {
  return createKafkaQueue({ bootstrap: brokerAddresses(bootstrap), settings })
}

export function brokerAddresses(bootstrap: string): { host: string; port: number }[] {
  return bootstrap.split(',').map((address) => {
    const [host, port] = address.split(':')
    return { host: host!, port: Number(port) }
  })
}

export function uniqueName(what: string): string {
  return `${what}-${randomUUID()}`
}

export function record(topic: string, value: string, more: Partial<NewRecord> = {}): NewRecord {
  return { topic, key: Buffer.from('k'), value: Buffer.from(value), time: 1_000, ...more }
}

/** Every visible record of a partition. */
async function readAll(queue: Queue, topic: string, partition = 0): Promise<QueueRecord[]> {
  const records: QueueRecord[] = []
  for (let offset = 0n; ; ) {
    const { batches, next, end } = await queue.read({ topic, partition, offset }, { maxBytes: 1024 * 1024 })
    for (const batch of batches) records.push(...batch.records())
    if (next === end) return records
    offset = next
  }
}

export async function readValues(queue: Queue, topic: string, partition = 0): Promise<string[]> {
  return (await readAll(queue, topic, partition)).map(({ value }) => Buffer.from(value!).toString())
}
