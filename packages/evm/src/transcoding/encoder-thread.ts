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
    const started = new Worker(file, { workerData: declared, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
    started.unref()
    started.on('message', ({ id, encoded, problem }: ThreadAnswer) => {
      const answer = waiting.get(id)
      waiting.delete(id)
      if (encoded) answer?.resolve({ ...encoded, json: bufferOf(encoded.json) } as never)
      else answer?.reject(toError(problem!))
    })
    const fail = (error: unknown) => {
      if (started !== worker) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('error', fail)
    started.on('exit', (code) => fail(new Error(`The thread that encodes blocks ended with ${code}.`)))
    return started
  }

  function send<T>(request: Omit<ThreadRequest, 'id' | 'json'>, json: Buffer): Promise<T> {
    worker ??= start()
    const id = ++lastId
    const answer = Promise.withResolvers<never>()
    waiting.set(id, answer)
    // The answer of a node is in memory of its own, unless it is short.
    const own = json.buffer.byteLength < 2 * json.length ? json : new Uint8Array(json)
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

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Encoding makes few objects. By default V8 reserves up to 64 MB for young ones. */
const youngMb = 4

const file = new URL(`./thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
