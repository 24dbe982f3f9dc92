import { readDeadInterval, systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { PublishedRecord, TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { type ScriptedUnit, standing } from './script.ts'

/**
 * Asserts that the topics, replayed, hold exactly what a source says that stands, and that a reader can know it: seqs
 * without holes, each revert takes back the newest record that stands and equals it, times never go back, and the
 * intervals told in `_headrace.reorgs` are all that is dead.
 */
export async function expectReplayed(
  project: TestProject,
  chain: string,
  units: readonly ScriptedUnit[],
): Promise<void> {
  const stands = standing(units)
  const wanted = (message: 'Block' | 'Transaction'): string[] =>
    stands.flatMap(({ messages }) => (messages?.[message] ?? []).map(({ Hash }) => Hash)).sort()
  for (const message of ['Block', 'Transaction'] as const) {
    const records = await project.records(message)
    const partitions = Map.groupBy(records, ({ partition }) => partition)
    const left = [...partitions.values()].flatMap(replay)
    expect(left.map(({ value }) => (value as { Hash: string }).Hash).sort()).toEqual(wanted(message))
    const topic = `acme.chain.1_0_0.${chain}_${message}`
    for (const [partition, ofPartition] of partitions) {
      const alive = new Set(replay(ofPartition).map(({ seq }) => seq))
      const dead = ofPartition.map(({ seq }) => seq!).filter((seq) => !alive.has(seq))
      expect(await deadSeqs(project.queue, topic, partition)).toEqual(dead)
    }
  }
  expect(await project.checkpoint()).toEqual(units.at(-1)!.checkpoint)
  expect((await project.storedCheckpoint())!.unit).toBe(units.length)
}

function replay(records: readonly PublishedRecord[]): PublishedRecord[] {
  const stack: PublishedRecord[] = []
  let time = 0
  for (const [index, record] of records.entries()) {
    expect(record.seq).toBe(index)
    expect(record.time.getTime()).toBeGreaterThanOrEqual(time)
    time = record.time.getTime()
    if (record.op === 'append') {
      stack.push(record)
      continue
    }
    const taken = stack.pop()!
    expect(record.reverts).toBe(taken.seq)
    expect([record.key, record.value, record.error]).toEqual([taken.key, taken.value, taken.error])
  }
  return stack
}

/** Every seq in one of the intervals of a partition, in order. */
async function deadSeqs(queue: Queue, topic: string, partition: number): Promise<number[]> {
  const newest = new Map<string, [number, number]>()
  const [reorgs] = await queue.describe([systemTopics.reorgs])
  for (const [number, { earliest, end }] of reorgs!.partitions.entries()) {
    for (let offset = earliest; offset < end; ) {
      const { batches, next } = await queue.read(
        { topic: systemTopics.reorgs, partition: number, offset },
        { maxBytes: 1 << 20 },
      )
      for (const record of batches.flatMap((batch) => [...batch.records()])) {
        const interval = readDeadInterval(record)!
        if (interval.topic !== topic || interval.partition !== partition) continue
        newest.set(Buffer.from(record.key!).toString(), [interval.first, interval.last])
      }
      offset = next
    }
  }
  const dead = new Set<number>()
  for (const [first, last] of newest.values()) for (let seq = first; seq <= last; seq++) dead.add(seq)
  return [...dead].sort((one, other) => one - other)
}
