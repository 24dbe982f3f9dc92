import { createKafkaQueue } from '../../../packages/queue/src/kafka/kafka-queue.ts'
import { inProcess } from './in-process.ts'
import { type Contestant, keyBytes } from './workload.ts'

export async function openOurs(bootstrap: string, topics: readonly string[]): Promise<Contestant> {
  const [host, port] = bootstrap.split(':')
  const queue = await createKafkaQueue({
    bootstrap: [{ host: host!, port: Number(port) }],
    settings: { compression: 'none' },
  })
  const writer = await queue.openWriter({ id: 'bench-ours', claim: 'bench' })
  const key = Buffer.alloc(keyBytes, 'k')
  const values = new Map<number, Buffer>()

  return inProcess(
    async ({ parts }) => {
      const transaction = writer.begin()
      for (const [index, { records, valueBytes }] of parts.entries()) {
        const value = values.get(valueBytes) ?? Buffer.alloc(valueBytes, 'v')
        values.set(valueBytes, value)
        const time = Date.now()
        for (let count = 0; count < records; count++) transaction.send({ topic: topics[index]!, key, value, time })
      }
      await transaction.commit()
    },
    () => queue.close(),
  )
}
