import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import type { KafkaBroker } from '../../../packages/testbed/kafka/start-kafka.ts'
import { type Contestant, keyBytes, type Workload } from './workload.ts'

/** Kafka's Java producer in its own process, which stays warm between measurements. */
export async function openJava({ bootstrap, classpath }: KafkaBroker, topics: readonly string[]): Promise<Contestant> {
  const source = join(import.meta.dirname, 'JavaProducer.java')
  const args = [bootstrap, `${keyBytes}`, ...topics]
  const java = execa('java', ['-cp', classpath.join(':'), source, ...args], { buffer: false })
  const lines = createInterface({ input: java.stdout })[Symbol.asyncIterator]()

  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next()
    if (done) throw new Error('The Java producer has ended.')
    return value
  }

  async function ask(command: string, { parts }: Workload): Promise<number> {
    java.stdin.write(`${command} ${parts.map(({ records, valueBytes }) => `${records}x${valueBytes}`).join(' ')}\n`)
    return Number(await nextLine())
  }

  await nextLine()
  return {
    backToBack: (workload, durationMs) => ask(`backToBack ${durationMs}`, workload),
    paced: (workload, { count, everyMs }) => ask(`paced ${count} ${everyMs}`, workload),
    async close() {
      java.stdin.end()
      await java
    },
  }
}
