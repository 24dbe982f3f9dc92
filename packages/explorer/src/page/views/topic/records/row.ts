import type { DataRecord } from '@headrace/client'

export type TopicRecord = DataRecord<Readonly<Record<string, unknown>>>

export type Row = RecordRow | GapRow

export interface RecordRow {
  readonly kind: 'record'
  readonly id: string
  readonly record: TopicRecord
  /** A later record reverts it. */
  readonly isReverted: boolean
  /** About as many characters as its JSON has. */
  readonly size: number
}

/** A place where records are not shown. */
export interface GapRow {
  readonly kind: 'gap'
  readonly id: string
  readonly text: string
}

export function recordRow(record: TopicRecord): RecordRow {
  const { partition, seq, offset } = record
  return {
    kind: 'record',
    id: `${partition}/${seq ?? offset}`,
    record,
    isReverted: false,
    size: sizeOf(record.value) + 200,
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce<number>((sum, member) => sum + 8 + sizeOf(member), 0)
}

/** The id of the record that a revert reverts. */
export function revertedId(record: TopicRecord): string | undefined {
  return record.op === 'revert' ? `${record.partition}/${record.reverts}` : undefined
}

/** The ids of the records that these rows revert. */
export function revertedBy(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => (row.kind === 'record' ? (revertedId(row.record) ?? []) : [])))
}

/** The newest rows within both limits. The same list, if all are. */
export function newestRows(
  rows: readonly Row[],
  limit: { readonly rows: number; readonly size: number },
): readonly Row[] {
  let [first, size] = [rows.length, 0]
  while (first > 0 && rows.length - first < limit.rows) {
    const row = rows[first - 1]!
    size += row.kind === 'record' ? row.size : 0
    if (size > limit.size && first < rows.length) break
    first--
  }
  return first === 0 ? rows : rows.slice(first)
}

/** Marks the rows that `ids` names. */
export function markReverted(rows: readonly Row[], ids: ReadonlySet<string>): readonly Row[] {
  if (ids.size === 0) return rows
  return rows.map((row) => (row.kind === 'record' && ids.has(row.id) ? { ...row, isReverted: true } : row))
}
