import { Worker } from 'node:worker_threads'
import type { DeclaredMessages } from './bound-table.ts'
import { type Encoders, toError } from './encoders.ts'
import type { ThreadAnswer, ThreadRequest } from './thread-main.ts'

export interface EncoderThread extends Encoders {
  close(): void
}

/** Encodes in a thread, beside the one that publishes. It starts at the first use. */
export function createEncoderThread(declared: DeclaredMessages): EncoderThread {
  const waiting = new Map<number, PromiseWithResolvers<never>>()
  let worker: Worker | undefined
  let lastId = 0

  function start(): Worker {
    const started = new Worker(file, { workerData: declared })
    started.unref()
    started.on('message', ({ id, encoded, problem }: ThreadAnswer) => {
      const { resolve, reject } = waiting.get(id)!
      waiting.delete(id)
      if (encoded) resolve({ ...encoded, json: Buffer.from(encoded.json.buffer) } as never)
      else reject(toError(problem!))
    })
    started.on('error', (error) => {
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    })
    return started
  }

  function send<T>(request: Omit<ThreadRequest, 'id' | 'json'>, json: Buffer): Promise<T> {
    worker ??= start()
    const id = ++lastId
    const answer = Promise.withResolvers<never>()
    waiting.set(id, answer)
    // The answer of a node is in memory of its own, unless it is short.
    const own = json.buffer.byteLength < 2 * json.length ? json : Buffer.from(json)
    worker.postMessage({ ...request, id, json: own }, [own.buffer as ArrayBuffer])
    return answer.promise
  }

  return {
    block: (json, asked) => send({ asked }, json),
    receipts: (json, { number, hash, hashes, shared }) => send({ block: { number, hash, hashes, shared } }, json),
    close() {
      void worker?.terminate()
      worker = undefined
      waiting.clear()
    },
  }
}

const file = new URL(`./thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
