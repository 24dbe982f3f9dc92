/** The thread of one contestant, named by `workerData`: answers each request. */
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { Answer, ContestantName, Request } from './contestant.ts'
import { defaultWriter } from './default-writer.ts'
import type { Encode, Encoders } from './encoders.ts'
import { handWritten } from './hand-written.ts'
import { ours } from './ours.ts'
import { createWorkload } from './workload.ts'

const contestants: Record<ContestantName, () => Encoders> = {
  ours,
  'default ts-proto': defaultWriter,
  'hand-written': handWritten,
}
const encoders = contestants[workerData as ContestantName]()
const workload = createWorkload()

parentPort!.on('message', ({ message, cpuMs }: Request) => {
  const answer =
    message === 'Block'
      ? measure(encoders.Block, workload.Block, cpuMs)
      : measure(encoders.Transaction, workload.Transaction, cpuMs)
  parentPort!.postMessage(answer)
})

function measure<Message>(encode: Encode<Message>, messages: readonly Message[], cpuMs: number): Answer {
  const before = process.threadCpuUsage()
  let passes = 0
  let usedMs: number
  let encoded: Uint8Array[]
  do {
    encoders.reset()
    encoded = encodeAll(encode, messages)
    passes++
    const { user, system } = process.threadCpuUsage(before)
    usedMs = (user + system) / 1000
  } while (usedMs < cpuMs)
  const perSecond = (passes * messages.length) / (usedMs / 1000)
  return { perSecond, digest: digest(encoded) }
}

/** All are kept, as the runtime keeps them until they are committed. */
function encodeAll<Message>(encode: Encode<Message>, messages: readonly Message[]): Uint8Array[] {
  const encoded: Uint8Array[] = []
  for (const message of messages) encoded.push(encode(message))
  return encoded
}

function digest(encoded: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const bytes of encoded) hash.update(bytes)
  return hash.digest('hex')
}
