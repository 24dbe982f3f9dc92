import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { type Contestant, keyBytes, type Workload } from './workload.ts'

export interface JavaPeerOptions {
  readonly bootstrap: string
  readonly topics: readonly string[]
  readonly classpath: readonly string[]
  /** The producer's `batch.size` in bytes; its default is 16,384. */
  readonly batchBytes: number
}

/** Kafka's Java producer in its own process, which stays warm between measurements. */
export async function openJava({ bootstrap, topics, classpath, batchBytes }: JavaPeerOptions): Promise<Contestant> {
  const source = join(import.meta.dirname, 'JavaProducer.java')
  const settings = [bootstrap, `${keyBytes}`, `${batchBytes}`]
  const java = execa('java', ['-cp', classpath.join(':'), source, ...settings, ...topics], { buffer: false })
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
