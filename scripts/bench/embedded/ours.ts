import { createEmbeddedQueue } from '../../../packages/queue/src/embedded/embedded-queue.ts'
import { inProcess } from '../kafka/in-process.ts'
import { type Contestant, keyBytes } from '../kafka/workload.ts'

export async function openOurs(directory: string, topics: readonly string[]): Promise<Contestant> {
  const queue = await createEmbeddedQueue({ directory, create: true })
  await queue.createTopics(topics.map((name) => ({ name })))
  const writer = await queue.openWriter({ id: 'bench', claim: 'bench' })
  const key = Buffer.alloc(keyBytes, 'k')
  const values = new Map<number, Buffer>()

  return inProcess(
    async ({ parts }) => {
      const transaction = writer.begin()
      for (const [index, { records, valueBytes }] of parts.entries()) {
        const value = values.get(valueBytes) ?? Buffer.alloc(valueBytes, 'v')
        values.set(valueBytes, value)
        const topic = topics[index]!
        const time = Date.now()
        for (let count = 0; count < records; count++) transaction.send({ topic, key, value, time })
      }
      await transaction.commit()
    },
    () => queue.close(),
  )
}
