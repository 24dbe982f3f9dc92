import { setTimeout as delay } from 'node:timers/promises'
import type { PartitionOffset, Queue, RecordBatch } from '@headrace/queue'
import { lastUnit, sharedCheckpoints, sharedPartitions, sharedTopics } from './embedded-shared-units.ts'

export interface SeenRecord {
  readonly writer: string
  readonly value: string
}

/** The ends of all partitions in one snapshot. */
export interface Moment {
  /** By `topic/partition`. */
  readonly ends: ReadonlyMap<string, number>
  /** The last unit of each writer just before and just after. */
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export interface Seen {
  /** In order, by `topic/partition`. */
  readonly records: ReadonlyMap<string, readonly SeenRecord[]>
  /** Key and unit of the records in the checkpoint topic, in order. Compaction may have removed some before. */
  readonly checkpoints: readonly { readonly key: string; readonly unit: number }[]
  readonly moments: readonly Moment[]
}

export interface SharedReader {
  /** Ends the reading when everything in the queue has been seen. Rejects with the first error. */
  finish(): Promise<Seen>
}

export function readShared(queue: Queue, writers: readonly string[]): SharedReader {
  const records = new Map(places().map((place) => [nameOf(place), [] as SeenRecord[]]))
  const checkpoints: { key: string; unit: number }[] = []
  const moments: Moment[] = []
  const stop = new AbortController()
  /** By key. */
  const newest = new Map<string, number>()
  let goal: { readonly ends: ReadonlyMap<string, number>; readonly units: readonly number[] } | undefined

  function note(batch: RecordBatch): void {
    for (const { key, value } of batch.records()) {
      const text = Buffer.from(value!).toString()
      const writer = Buffer.from(key!).toString()
      if (batch.topic === sharedCheckpoints) {
        checkpoints.push({ key: writer, unit: Number(text) })
        newest.set(writer, Number(text))
      } else records.get(nameOf(batch))!.push({ writer, value: text })
    }
  }

  function stopAtGoal(): void {
    if (goal === undefined) return
    const allRecords = [...goal.ends].every(([place, end]) => records.get(place)!.length >= end)
    const allUnits = goal.units.every((unit, index) => (newest.get(writers[index]!) ?? -1) >= unit)
    if (allRecords && allUnits) stop.abort()
  }

  async function follow(): Promise<void> {
    const checkpointPlace = { topic: sharedCheckpoints, partition: 0, offset: 0n }
    for await (const batch of queue.follow([...places(), checkpointPlace], stop)) {
      note(batch)
      stopAtGoal()
    }
  }

  async function pollEnds(): Promise<void> {
    while (!stop.signal.aborted) {
      const before = await lastUnits()
      const ends = await endsOf(queue)
      moments.push({ ends, before, after: await lastUnits() })
      await delay(5)
    }
  }

  function lastUnits(): Promise<number[]> {
    return Promise.all(writers.map((writer) => lastUnit(queue, writer)))
  }

  const ended = Promise.all([follow(), pollEnds()])
  ended.catch(() => stop.abort())
  return {
    async finish() {
      goal = { ends: await endsOf(queue), units: await lastUnits() }
      stopAtGoal()
      await ended
      return { records, checkpoints, moments }
    },
  }
}

function places(): PartitionOffset[] {
  return sharedTopics.flatMap((topic) =>
    Array.from({ length: sharedPartitions }, (_, partition) => ({ topic, partition, offset: 0n })),
  )
}

/** All in one snapshot. */
async function endsOf(queue: Queue): Promise<Map<string, number>> {
  const topics = await queue.describe(sharedTopics)
  return new Map(
    topics.flatMap(({ name, partitions }) =>
      partitions.map(({ end }, partition) => [nameOf({ topic: name, partition }), Number(end)]),
    ),
  )
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`
}
