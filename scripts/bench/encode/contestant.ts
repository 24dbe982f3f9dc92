import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Workload } from './workload.ts'

export type ContestantName = 'ours' | 'default ts-proto' | 'hand-written'

/** What a contestant is asked: to encode the messages of a type again and again for so much of its thread's CPU time. */
export interface Request {
  readonly message: keyof Workload
  readonly cpuMs: number
}

export interface Answer {
  /** Messages encoded in a second of the thread's CPU time: encoding waits for nothing but the processor. */
  readonly perSecond: number
  /** SHA-256 of all encoded messages. */
  readonly digest: string
}

/** A way of encoding in a thread of its own, so that the compiler optimizes the same generated code for it alone. */
export interface Contestant {
  encode(request: Request): Promise<Answer>
  close(): Promise<void>
}

export function openContestant(name: ContestantName): Contestant {
  const worker = new Worker(new URL('./contestant-thread.ts', import.meta.url), { workerData: name })
  return {
    async encode(request) {
      worker.postMessage(request)
      const [answer] = await once(worker, 'message')
      return answer as Answer
    },
    async close() {
      await worker.terminate()
    },
  }
}
