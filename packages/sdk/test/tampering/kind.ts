import type { CopiedRecord, PublishedCopy } from './published-copy.ts'

/** A finding as a table says it: `seq_missing Block/0 3`, or `checkpoint_wrong 17` with a unit where it has no topic. */
export type Finding = string

export interface Kind {
  readonly name: string
  /** `undefined` where the copy has nothing of this kind. */
  tamper(copy: PublishedCopy): PublishedCopy
  /** Findings without a source. */
  readonly found: readonly Finding[]
  /** Findings with one. Default: the same. */
  readonly compared?: readonly Finding[]
  /** What the guide says of it, where it is not visible. */
  readonly notVisible?: string
  /** Whether the manifest gives the topics a retention. */
  readonly hasRetention?: true
}

/** A partition. */
export type Place = Pick<CopiedRecord, 'message' | 'partition'>

/** As findings name it. */
export function placeText({ message, partition }: Place): string {
  return `${message}/${partition}`
}

export function recordsOf(copy: PublishedCopy, place: Place): CopiedRecord[] {
  return copy.records.filter(({ message, partition }) => message === place.message && partition === place.partition)
}

/** Replaces records: each by those that a function gives. */
export function replace(copy: PublishedCopy, by: (record: CopiedRecord) => readonly CopiedRecord[]): PublishedCopy {
  return { ...copy, records: copy.records.flatMap(by) }
}

export function remove(copy: PublishedCopy, ...removed: readonly CopiedRecord[]): PublishedCopy {
  return replace(copy, (record) => (removed.includes(record) ? [] : [record]))
}

export function change(copy: PublishedCopy, old: CopiedRecord, by: Partial<CopiedRecord>): PublishedCopy {
  return replace(copy, (record) => [record === old ? { ...old, ...by } : record])
}

/** Puts the records of a partition into another order. */
export function reorder(
  copy: PublishedCopy,
  place: Place,
  order: (list: CopiedRecord[]) => CopiedRecord[],
): PublishedCopy {
  const list = recordsOf(copy, place)
  return { ...copy, records: [...copy.records.filter((record) => !list.includes(record)), ...order(list)] }
}

/** Records that nothing has reverted, and that revert nothing. */
export function standingOf(copy: PublishedCopy, place: Place): CopiedRecord[] {
  const dead = copy.intervals.filter(
    ({ message, partition }) => message === place.message && partition === place.partition,
  )
  return recordsOf(copy, place).filter(({ seq }) => dead.every(({ first, last }) => seq < first || seq > last))
}
