import { decodeCheckpoint, readRecordHeaders, systemTopics } from '../../../catalog/src/index.ts'
import type { LoggedBatch } from '../kafka/replica.ts'
import type { World } from '../world/world.ts'
import { topic } from './ledger.ts'
import type { Plan, PlannedRecord } from './plan.ts'

/** Seqs in the logs at a moment, by partition. */
export interface LogBounds {
  /** The first record that is kept. */
  readonly kept: readonly number[]
  /** The seq after the last visible record. */
  readonly shown: readonly number[]
  /** The seq after the last final record, as the newest checkpoint says. */
  readonly final: readonly number[]
}

/** The content of the logs, checked against the plan. */
export interface LogTruth {
  readonly plan: Plan
  now(): LogBounds
  /** Batches become visible to readers. */
  shown(topic: string, partition: number, batches: readonly LoggedBatch[]): void
  /** The records before an offset have been removed. */
  removed(partition: number, before: bigint): void
  /** Offsets at which a segment of a partition may begin. */
  segmentsOf(partition: number): readonly bigint[]
  /** Whether the record at an offset has been removed. */
  isRemoved(partition: number, offset: bigint): boolean
  record(partition: number, seq: number): PlannedRecord | undefined
  /** The seq of the first record at or after an offset. */
  seqAt(partition: number, offset: bigint): number
  isComplete(): boolean
}

export function createLogTruth(world: World, plan: Plan): LogTruth {
  const offsets = plan.logs.map((): bigint[] => [])
  const segments = plan.logs.map((): bigint[] => [])
  const kept = plan.logs.map(() => 0)
  const starts = plan.logs.map(() => 0n)
  let final: readonly number[] = plan.logs.map(() => 0)

  function seqAt(partition: number, offset: bigint): number {
    const found = offsets[partition]!.findIndex((one) => one >= offset)
    return found < 0 ? offsets[partition]!.length : found
  }

  return {
    plan,
    now: () => ({ kept: [...kept], shown: offsets.map((of) => of.length), final }),
    shown(name, partition, batches) {
      for (const { view } of batches) {
        if (name === topic) segments[partition]!.push(view.baseOffset)
        for (const { offset, headers, value } of view.records()) {
          if (name === systemTopics.checkpoints) final = decodeCheckpoint(value!).final?.nextSeq[topic] ?? final
          if (name !== topic) continue
          const { seq } = readRecordHeaders(headers)
          const expected = offsets[partition]!.length
          if (seq !== expected) world.fail(`partition ${partition} shows ${seq} where ${expected} belongs`)
          offsets[partition]!.push(offset)
        }
      }
    },
    removed(partition, before) {
      if (before > starts[partition]!) starts[partition] = before
      kept[partition] = Math.max(kept[partition]!, seqAt(partition, before))
    },
    isRemoved: (partition, offset) => offset < starts[partition]!,
    segmentsOf: (partition) => segments[partition]!,
    record: (partition, seq) => plan.logs[partition]?.[seq],
    seqAt,
    isComplete: () => plan.logs.every((log, partition) => log.length === offsets[partition]!.length),
  }
}
