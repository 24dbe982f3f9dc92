import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** Characters of a chunk. */
const chunkLength = 64 * 1024

/** Transactions, each as chunks of COPY's text format. */
type Batches = readonly (readonly string[])[]

/** The rows of a table in batches, ready to be sent. */
export async function readBatches(client: pg.Client, table: string, batchRows: number): Promise<Batches> {
  const stream = client.query(copyTo(`copy (select * from ${table} order by _partition, _seq) to stdout`))
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  const lines = Buffer.concat(parts)
    .toString()
    .split(/(?<=\n)/)
  return Array.from({ length: Math.ceil(lines.length / batchRows) }, (_, batch) =>
    chunksOf(lines.slice(batch * batchRows, (batch + 1) * batchRows)),
  )
}

function chunksOf(lines: readonly string[]): string[] {
  const chunks = ['']
  for (const line of lines)
    if (chunks.at(-1)!.length >= chunkLength) chunks.push(line)
    else chunks[chunks.length - 1] += line
  return chunks
}

export interface CopyOptions {
  /** Dropped, if it exists. */
  readonly table: string
  /** The table whose columns and primary key it gets. */
  readonly like: string
  readonly batches: Batches
}

export async function copyBatches(client: pg.Client, { table, like, batches }: CopyOptions): Promise<void> {
  await client.query(`drop table if exists ${table}`)
  await client.query(`create table ${table} (like ${like} including all)`)
  for (const chunks of batches) {
    await client.query('begin')
    const stream = client.query(copyFrom(`copy ${table} from stdin`))
    const finished = new Promise<void>((resolve, reject) => stream.on('finish', resolve).on('error', reject))
    for (const chunk of chunks)
      if (!stream.write(chunk)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), finished])
    stream.end()
    await finished
    await client.query('commit')
  }
}
