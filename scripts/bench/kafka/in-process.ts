import { setTimeout as delay } from 'node:timers/promises'
import type { Queue } from '@headrace/queue'
import { median } from '../run-bench.ts'
import { type Contestant, keyBytes, type Workload } from './workload.ts'

/** A contestant that runs in this process and writes one transaction with `write`. */
export function inProcess(write: (workload: Workload) => Promise<void>, close: () => Promise<void>): Contestant {
  return {
    async backToBack(workload, durationMs) {
      const started = performance.now()
      let written = 0
      while (performance.now() - started < durationMs) {
        await write(workload)
        written++
      }
      return (written * 1000) / (performance.now() - started)
    },
    async paced(workload, { count, everyMs }) {
      const times: number[] = []
      for (let index = 0; index < count; index++) {
        const begun = performance.now()
        await write(workload)
        times.push(performance.now() - begun)
        await delay(everyMs - (performance.now() - begun))
      }
      return median(times)
    },
    close,
  }
}

/** A queue of this project. Its topics exist. */
export async function openOurs(queue: Queue, topics: readonly string[]): Promise<Contestant> {
  const writer = await queue.openWriter({ id: 'bench-ours', claim: 'bench' })
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
