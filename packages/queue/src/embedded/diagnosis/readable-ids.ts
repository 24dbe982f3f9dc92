import type { DatabaseSync } from 'node:sqlite'
import { attempt } from './attempt.ts'

/**
 * The ids of a table's rows after one id and before another, in order, as far as the pages of the table can be read.
 *
 * Behind pages that cannot be read it continues at the next one that can, which is searched for in steps that double,
 * from both sides. So what is between two such places may be missed where it is much smaller than both.
 */
export function* readableIds(
  database: DatabaseSync,
  table: 'batches' | 'bytes',
  { after = -1n, before = highestId }: { readonly after?: bigint; readonly before?: bigint } = {},
): Generator<bigint, void, undefined> {
  const following = database.prepare(`SELECT id FROM ${table} WHERE id > ? AND id < ? ORDER BY id LIMIT 1`)
  const preceding = database.prepare(`SELECT id FROM ${table} WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT 1`)
  for (const statement of [following, preceding]) statement.setReadBigInts(true)
  const read = (statement: typeof following, from: bigint, to: bigint): bigint | 'none' | undefined => {
    const id = attempt(() => (statement.get(from, to) as { id: bigint } | undefined)?.id ?? 'none').value
    // Where pages are not what they were, a row may come that was not asked for.
    return typeof id === 'bigint' && (id <= from || id > to) ? undefined : id
  }

  /** Those up to an id, of which the lowest ones cannot be read: from the highest one down, and passing over damage too. */
  function between(low: bigint, high: bigint): bigint[] {
    const ids: bigint[] = []
    for (let top = high; top > low; ) {
      const id = read(preceding, low, top)
      if (id === 'none') break
      if (id !== undefined) {
        ids.push(id)
        top = id - 1n
        continue
      }
      let width = 1n
      while (top - width > low && read(preceding, low, top - width) === undefined) width *= 2n
      const above: bigint[] = []
      const from = top - width > low ? top - width : low
      for (let next = read(following, from, top); typeof next === 'bigint'; next = read(following, next, top)) {
        above.push(next)
      }
      ids.push(...above.reverse())
      top = from
    }
    return ids.reverse()
  }

  for (let low = after; ; ) {
    const id = read(following, low, before)
    if (id === 'none') return
    if (id !== undefined) {
      yield id
      low = id
      continue
    }
    let width = 1n
    while (low + width < before && read(following, low + width, before) === undefined) width *= 2n
    const high = low + width < before ? low + width : before - 1n
    yield* between(low, high)
    if (high === before - 1n) return
    low = high
  }
}

const highestId = (1n << 63n) - 1n
