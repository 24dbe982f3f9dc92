import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AtOneMoment, createMoment } from './moment.ts'
import { openStorage, type Storage } from './storage.ts'
import { createWriteLock } from './write-lock.ts'

let directory: string
let storage: Storage
/** The connection of another process. */
let other: Storage
let atOneMoment: AtOneMoment

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  storage = await openStorage({ directory, create: true })
  other = await openStorage({ directory, create: false })
  atOneMoment = createMoment(storage)
})
afterEach(() => {
  storage.database.close()
  other.database.close()
  rmSync(directory, { recursive: true })
})

describe('a moment', () => {
  it('within another one is the same, and ends with the outer one', () => {
    const counts = atOneMoment(() => {
      const before = atOneMoment(() => countWriters(storage))
      addWriter(other, 'other')
      expect(storage.database.isTransaction).toBe(true)
      return [before, atOneMoment(() => countWriters(storage)), countWriters(storage)]
    })
    expect(counts).toEqual([0, 0, 0])
    expect(storage.database.isTransaction).toBe(false)
    expect(atOneMoment(() => countWriters(storage))).toBe(1)
  })

  it('that fails leaves the outer one as it is', () => {
    atOneMoment(() => {
      expect(countWriters(storage)).toBe(0)
      expect(() => atOneMoment(fail)).toThrow('injected')
      addWriter(other, 'other')
      expect(countWriters(storage)).toBe(0)
    })
    expect(() => atOneMoment(() => atOneMoment(fail))).toThrow('injected')
    expect(storage.database.isTransaction).toBe(false)
  })

  it('within a write transaction sees what that has written, and is committed or not with it', async () => {
    const lock = createWriteLock(storage, new AbortController().signal)
    const seen = await lock.run(() => {
      addWriter(storage, 'one')
      return atOneMoment(() => countWriters(storage))
    })
    expect(seen).toBe(1)
    const failed = lock.run(() => {
      addWriter(storage, 'two')
      atOneMoment(fail)
    })
    await expect(failed).rejects.toThrow('injected')
    expect(countWriters(other)).toBe(1)
  })
})

function fail(): never {
  throw new Error('injected')
}

function addWriter({ database }: Storage, id: string): void {
  database.prepare('INSERT INTO writers VALUES (?, 1, ?, 0)').run(id, id)
}

function countWriters({ database }: Storage): number {
  return (database.prepare('SELECT count(*) AS count FROM writers').get() as { count: number }).count
}
