import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../../../testbed/random.ts'
import { readableIds } from './damaged-pages.ts'

const pageBytes = 4_096
let folder: string
let whole: Buffer
let ids: bigint[]
let leaves: number[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-pages-'))
  const random = createRandom(1)
  const database = new DatabaseSync(join(folder, 'whole.db'))
  database.exec(`PRAGMA page_size = ${pageBytes}; CREATE TABLE bytes (id INTEGER PRIMARY KEY, value BLOB); BEGIN`)
  const insert = database.prepare('INSERT INTO bytes VALUES (?, ?)')
  ids = []
  for (let id = 5_000_000n; ids.length < 1_200; id += 1n + BigInt(random.integer(3))) {
    insert.run(id, Buffer.alloc(random.integer(1_000)))
    ids.push(id)
  }
  database.exec('COMMIT')
  database.close()
  whole = readFileSync(join(folder, 'whole.db'))
  const pages = Array.from({ length: whole.length / pageBytes }, (_, page) => page)
  leaves = pages.filter((page) => whole[page * pageBytes] === 0x0d)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The ids found by `readableIds`, and those that SQLite finds when each is selected. */
function idsOf(file: Buffer): { readonly found: bigint[]; readonly there: bigint[] } {
  const path = join(folder, 'damaged.db')
  writeFileSync(path, file)
  const database = new DatabaseSync(path)
  database.exec('BEGIN')
  try {
    const found = [...readableIds(database, 'bytes')]
    const select = database.prepare('SELECT id FROM bytes WHERE id = ?')
    const isThere = (id: bigint) => {
      try {
        return select.get(id) !== undefined
      } catch {
        return false
      }
    }
    return { found, there: ids.filter(isThere) }
  } finally {
    database.close()
  }
}

function withoutPages(numbers: readonly number[]): Buffer {
  const damaged = Buffer.from(whole)
  for (const number of numbers) damaged.fill(0, number * pageBytes, (number + 1) * pageBytes)
  return damaged
}

test('readableIds finds all ids of an undamaged table in order', () => {
  expect(idsOf(whole).found).toEqual(ids)
})

test('readableIds finds the ids of all other pages when the first, the last or any page between is damaged', () => {
  const random = createRandom(2)
  expect(leaves.length).toBeGreaterThan(100)
  const lone = leaves.filter((_, index) => index % 10 === 0 || index === leaves.length - 1)
  for (const page of lone) {
    const { found, there } = idsOf(withoutPages([page]))
    expect(found, `without page ${page}`).toEqual(there)
    expect(found.length).toBeLessThan(ids.length)
  }
  for (let round = 0; round < 10; round++) {
    const far = Array.from({ length: 4 }, (_, index) => leaves[30 * index + random.integer(15)]!)
    const { found, there } = idsOf(withoutPages(far))
    expect(found, `without pages ${far}`).toEqual(there)
  }
})

test('readableIds finds the ids of all other pages when two pages are exchanged', () => {
  const random = createRandom(3)
  const missed: string[] = []
  for (let round = 0; round < 60; round++) {
    const [one, other] = [random.pick(leaves), random.pick(leaves)]
    const damaged = Buffer.from(whole)
    whole.copy(damaged, one * pageBytes, other * pageBytes, (other + 1) * pageBytes)
    whole.copy(damaged, other * pageBytes, one * pageBytes, (one + 1) * pageBytes)
    const { found, there } = idsOf(damaged)
    const all = new Set(found)
    const count = there.filter((id) => !all.has(id)).length
    if (count > 0) missed.push(`pages ${one} and ${other}: ${count}`)
  }
  expect(missed).toEqual([])
})

test('readableIds finds nothing in a table without a readable page', () => {
  expect(idsOf(withoutPages([1])).found).toEqual([])
})

test('readableIds finds the ids in a range', () => {
  const database = new DatabaseSync(join(folder, 'whole.db'))
  const [after, before] = [ids[10]!, ids[13]!]
  expect([...readableIds(database, 'bytes', { after, before })]).toEqual(ids.slice(11, 13))
  database.close()
})
