import { setTimeout as delay } from 'node:timers/promises'
import type { PartitionOffset, Queue, RecordBatch } from '@headrace/queue'
import { lastUnit, sharedCheckpoints, sharedPartitions, sharedTopics } from './embedded-shared-units.ts'

/** A record of a data topic: whose it is, and what it says. */
export interface SeenRecord {
  readonly writer: string
  readonly value: string
}

/** What could be read at one moment. */
export interface Moment {
  /** Where each partition ended, by `topic/partition`. */
  readonly ends: ReadonlyMap<string, number>
  /** The last unit of each writer just before and just after. */
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** What a reader has seen from the beginning on. */
export interface Seen {
  /** In order, by `topic/partition`. */
  readonly records: ReadonlyMap<string, readonly SeenRecord[]>
  /** Key and unit of the records in the checkpoint topic, in order. Compaction may have removed some before. */
  readonly checkpoints: readonly { readonly key: string; readonly unit: number }[]
  readonly moments: readonly Moment[]
}

export interface SharedReader {
  /** Ends the reading when all that is in the queue now has been seen. Rejects with what went wrong on the way. */
  finish(): Promise<Seen>
}

/** Follows the shared topics, and asks again and again how far they reach. */
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

  async function look(): Promise<void> {
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

  const ended = Promise.all([follow(), look()])
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

/** All at one moment. */
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
