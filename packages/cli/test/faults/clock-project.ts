import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

export const sourceWith = (pauseMs: number) => `import { setTimeout as delay } from 'node:timers/promises'
import { defineConnector } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(8).uint64(BigInt(message.Number))
const schema = { messages: { Tick: { name: 'acme.clock.Tick', encode } }, config: undefined }

export default defineConnector({
  schema,
  async *read({ history, signal }) {
    for (let number = (history()[0]?.number ?? -1) + 1; ; number++) {
      yield { checkpoint: { number }, messages: { Tick: [{ Number: number }] } }
      await delay(${pauseMs}, undefined, { signal })
    }
  },
})
`
export const manifest = `package: clock
owner: acme
version: 1.0.0
run: connector.js
topics:
  - message: Tick
    name: "{chain}_Tick"
config:
  type: object
  properties:
    chain: { type: string, pattern: "^[a-z0-9]+$", default: main }
`

/** A connector whose records have the numbers from 0 on. Its instances differ in `chain`. */
export interface ClockProject extends AsyncDisposable {
  readonly dir: string
}

export async function createClockProject(pauseMs = 50): Promise<ClockProject> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-clock-'))
  await writeFile(join(dir, 'connector.js'), sourceWith(pauseMs))
  await writeFile(
    join(dir, 'clock.proto'),
    'syntax = "proto3";\npackage acme.clock;\nmessage Tick { uint64 Number = 1; }\n',
  )
  await writeFile(join(dir, 'manifest.yaml'), manifest)
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

export function writerOf(chain: string): string {
  return `acme.clock.1_0_0/${chain}`
}

export interface Tick {
  readonly seq: number | undefined
  readonly number: number
}

/** Reads the topic of an instance up to its current end; nothing if there is no topic. */
export async function readTicks(queue: Queue, chain: string): Promise<Tick[]> {
  const topic = `acme.clock.1_0_0.${chain}_Tick`
  const [description] = await queue.describe([topic])
  if (!description) return []
  const { earliest, end } = description.partitions[0]!
  const ticks: Tick[] = []
  for (let offset = earliest; offset < end; ) {
    const { batches, next } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20, maxWaitMs: 1_000 })
    for (const batch of batches)
      for (const { headers, value } of batch.records())
        ticks.push({ seq: readRecordHeaders(headers).seq, number: decodeNumber(value!) })
    offset = next
  }
  return ticks
}

/** The field's tag, then a varint. */
function decodeNumber(value: Uint8Array): number {
  return value.subarray(1).reduce((sum, byte, index) => sum + (byte & 127) * 128 ** index, 0)
}
