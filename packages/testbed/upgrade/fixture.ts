import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress } from 'node:zlib'

/** What an earlier version has written, and what it gave to readers. The README describes how it is made. */
export interface Fixture {
  /** The version, or the revision of this repository. */
  readonly version: string
  /** An API key that it has created on both queues. */
  readonly keys: Readonly<Record<FixtureQueue, string>>
  /** Of the embedded queue: `nextCursor` of the gateway for the first 5 blocks of the canonical view, oldest first. */
  readonly cursor: string
  /** Of the embedded queue: the cursor of the gateway at the end of the log. */
  readonly logCursor: string
}

export type FixtureQueue = 'embedded' | 'kafka'

/** A record of a topic. Bytes are base64. */
export interface StoredRecord {
  readonly topic: string
  readonly partition: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [key: string, value: string])[]
  readonly time: number
}

const folder = join(import.meta.dirname, 'stored')

export const fixtureFiles = {
  description: join(folder, 'fixture.json'),
  /** The file of an embedded queue. */
  embedded: join(folder, 'queue.db.br'),
  /** A `StoredRecord` on each line: all records of the system topics and of the connector, in order. */
  kafka: join(folder, 'kafka.ndjson.br'),
} as const

export async function readFixture(): Promise<Fixture> {
  return JSON.parse(await readFile(fixtureFiles.description, 'utf8'))
}

export const compress: (content: Buffer) => Promise<Buffer> = promisify(brotliCompress)

export async function readCompressed(file: string): Promise<Buffer> {
  return promisify(brotliDecompress)(await readFile(file))
}
