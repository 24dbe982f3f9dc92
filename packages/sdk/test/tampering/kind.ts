import type { CopiedRecord, PublishedCopy } from './published-copy.ts'

/** A finding as text: `seq_missing Block/0 3`, or with a unit if it has no topic: `checkpoint_wrong 17`. */
export type Finding = string

export interface Kind {
  readonly name: string
  /** `undefined` where it does not apply to the copy. */
  tamper(copy: PublishedCopy): PublishedCopy
  /** Findings without a source. */
  readonly found: readonly Finding[]
  /** Findings with one. Default: the same. */
  readonly compared?: readonly Finding[]
  /** The entry of the guide, if the kind is not visible. */
  readonly notVisible?: string
  /** Whether the topics have a retention in the manifest. */
  readonly hasRetention?: true
}

/** A partition. */
export type MessagePartition = Pick<CopiedRecord, 'message' | 'partition'>

/** As text in findings. */
export function partitionText({ message, partition }: MessagePartition): string {
  return `${message}/${partition}`
}

export function recordsOf(copy: PublishedCopy, place: MessagePartition): CopiedRecord[] {
  return copy.records.filter(({ message, partition }) => message === place.message && partition === place.partition)
}

/** Replaces each record by those that `by` returns. */
export function replace(copy: PublishedCopy, by: (record: CopiedRecord) => readonly CopiedRecord[]): PublishedCopy {
  return { ...copy, records: copy.records.flatMap(by) }
}

export function remove(copy: PublishedCopy, ...removed: readonly CopiedRecord[]): PublishedCopy {
  return replace(copy, (record) => (removed.includes(record) ? [] : [record]))
}

export function change(copy: PublishedCopy, old: CopiedRecord, by: Partial<CopiedRecord>): PublishedCopy {
  return replace(copy, (record) => [record === old ? { ...old, ...by } : record])
}

/** Changes the order of a partition's records. */
export function reorder(
  copy: PublishedCopy,
  place: MessagePartition,
  order: (list: CopiedRecord[]) => CopiedRecord[],
): PublishedCopy {
  const list = recordsOf(copy, place)
  return { ...copy, records: [...copy.records.filter((record) => !list.includes(record)), ...order(list)] }
}

/** Canonical records. */
export function canonicalOf(copy: PublishedCopy, place: MessagePartition): CopiedRecord[] {
  const reverted = copy.intervals.filter(
    ({ message, partition }) => message === place.message && partition === place.partition,
  )
  return recordsOf(copy, place).filter(({ seq }) => reverted.every(({ first, last }) => seq < first || seq > last))
}
