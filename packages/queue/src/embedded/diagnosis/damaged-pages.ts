import type { DatabaseSync } from 'node:sqlite'
import { DamagedBatchError } from '../../errors.ts'
import { batchKey, endKey } from '../storage/batch-rows.ts'
import { isUnreadable } from '../storage/sqlite-error.ts'
import type { Partition } from '../storage/topic-rows.ts'

export function attempt<T>(work: () => T): { readonly value?: T; readonly damage?: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof DamagedBatchError) return { damage: error.message }
    if (isUnreadable(error)) return { damage: 'Its pages in the file are inconsistent.' }
    throw error
  }
}

/**
 * The ids of the rows between two ids, in order, as far as the pages of the table can be read.
 *
 * A damaged page ends a search, and exchanged pages make it skip rows. So searches from the middle and the end of each gap
 * must reach both of its ids. If not, the gap is halved until rows are found. Rows between two much larger damaged areas
 * may be missed.
 */
export function* readableIds(
  database: DatabaseSync,
  table: 'batches' | 'bytes',
  { after = -1n, before = highestId }: { readonly after?: bigint; readonly before?: bigint } = {},
): Generator<bigint, void, undefined> {
  const following = database.prepare(`SELECT id FROM ${table} WHERE id >= ? AND id <= ? ORDER BY id LIMIT 1`)
  const preceding = database.prepare(`SELECT id FROM ${table} WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1`)
  for (const statement of [following, preceding]) statement.setReadBigInts(true)

  function search(statement: typeof following, from: bigint, to: bigint): bigint | 'none' | undefined {
    const id = attempt(() => (statement.get(from, to) as { id: bigint } | undefined)?.id ?? 'none').value
    // In damaged pages a search may find a row outside of the range.
    return typeof id === 'bigint' && (id < from || id > to) ? undefined : id
  }

  function* confirmGap(low: End, high: End): Generator<bigint, void, undefined> {
    while (high.id - low.id > 1n) {
      const middle = (low.id + high.id) / 2n
      const below = search(preceding, low.id, middle)
      const above = search(following, middle + 1n, high.id)
      const last = search(preceding, low.id, high.id - 1n)
      const from = low
      for (const id of [below, above, last]) {
        if (typeof id !== 'bigint' || id <= low.id || id >= high.id) continue
        const row = { id, is: 'row' } as const
        yield* confirmGap(low, row)
        yield id
        low = row
      }
      if (low !== from) continue
      const damage = { id: middle, is: 'damage' } as const
      if (!reaches(below, low)) yield* confirmGap(low, damage)
      if (reaches(above, high)) return
      low = damage
    }
  }

  let low: End = { id: after, is: 'edge' }
  while (low.id + 1n < before) {
    let id = search(following, low.id + 1n, before - 1n)
    for (let width = 1n; id === undefined && low.id + width < before; width *= 2n) {
      id = search(following, low.id + 1n + width, before - 1n)
    }
    if (typeof id !== 'bigint') return yield* confirmGap(low, { id: before, is: 'edge' })
    const row = { id, is: 'row' } as const
    yield* confirmGap(low, row)
    yield id
    low = row
  }
}

/** The base offsets of the rows of a partition, as far as they can be read. */
export function* readableOffsets(database: DatabaseSync, { id }: Partition): Generator<number, void, undefined> {
  const first = batchKey(id, 0)
  const ids = readableIds(database, 'batches', { after: first - 1n, before: endKey(id) })
  for (const key of ids) yield Number(key - first)
}

/** An end of a gap. At `damage`, a search from the middle of a gap failed. */
interface End {
  readonly id: bigint
  readonly is: 'row' | 'edge' | 'damage'
}

function reaches(id: bigint | 'none' | undefined, end: End): boolean {
  return end.is === 'damage' || id === end.id || (id === 'none' && end.is === 'edge')
}

const highestId = (1n << 63n) - 1n
