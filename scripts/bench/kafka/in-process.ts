import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../run-bench.ts'
import type { Contestant, Workload } from './workload.ts'

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
