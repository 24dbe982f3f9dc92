import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RunningGateway } from './command.ts'
import type { ReadRecord } from './reading.ts'
import type { Version } from './version.ts'

/** A reader that keeps its cursors, and continues from them with any client at any gateway. */
export interface Follower {
  /** Everything that it has read, by topic. */
  readonly records: ReadonlyMap<string, readonly ReadRecord[]>
  /**
   * Reads until it has these seqs.
   *
   * @throws {Error} a seq is missing or repeated, or nothing is read for `patienceMs`.
   */
  readUntil(client: Version, gateway: RunningGateway, last: ReadonlyMap<string, number>): Promise<void>
}

const patienceMs = 60_000

export function createFollower(topics: readonly string[], apiKey: string): Follower {
  const cursors: Record<string, string> = Object.fromEntries(topics.map((topic) => [topic, 'earliest']))
  const records = new Map<string, ReadRecord[]>(topics.map((topic) => [topic, []]))
  return { records, readUntil }

  async function readUntil(client: Version, { url, version }: RunningGateway, last: ReadonlyMap<string, number>) {
    const { createClient } = await loadClient(client)
    const done = new AbortController()
    const signal = AbortSignal.any([done.signal, AbortSignal.timeout(patienceMs)])
    const isComplete = () => topics.every((topic) => records.get(topic)!.length > last.get(topic)!)
    if (isComplete()) return
    try {
      for await (const batch of createClient({ url, apiKey }).subscribe({
        topics: [...topics],
        from: cursors,
        signal,
      })) {
        cursors[batch.topic] = batch.cursor
        for (const record of batch.records) add(batch.topic, record)
        if (isComplete()) return done.abort()
      }
    } catch (error) {
      if (done.signal.aborted) return
      const found = topics.map((topic) => `${records.get(topic)!.length} of ${last.get(topic)! + 1}`)
      const reader = `The client of ${client.name} at the gateway of ${version.name}`
      throw new Error(`${reader} has read ${found} records: ${(error as Error).message}`, { cause: error })
    }
  }

  function add(topic: string, record: ReadRecord) {
    const read = records.get(topic)!
    if (record.seq !== `${read.length}`)
      throw new Error(`The reader of "${topic}" expected seq ${read.length} and got ${record.seq}.`)
    read.push(record)
  }
}

interface Client {
  subscribe(options: { topics: string[]; from: Record<string, string>; signal: AbortSignal }): AsyncIterable<{
    readonly topic: string
    readonly records: readonly ReadRecord[]
    readonly cursor: string
  }>
}

async function loadClient({ folder }: Version): Promise<{
  createClient(options: { url: string; apiKey: string }): Client
}> {
  return import(pathToFileURL(join(folder, 'node_modules/@headrace/client/dist/index.js')).href)
}
