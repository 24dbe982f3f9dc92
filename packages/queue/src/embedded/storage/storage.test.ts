import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSnapshot, type InSnapshot, openStorage, type Storage } from './storage.ts'
import { createWriteLock } from './write-lock.ts'

let directory: string
let storage: Storage
/** The connection of another process. */
let other: Storage
let inSnapshot: InSnapshot

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  storage = await openStorage({ directory, create: true })
  other = await openStorage({ directory, create: false })
  inSnapshot = createSnapshot(storage, new AbortController().signal)
})
afterEach(() => {
  storage.database.close()
  other.database.close()
  rmSync(directory, { recursive: true })
})

describe('a snapshot', () => {
  it('within another snapshot is the same one, and ends with it', () => {
    const counts = inSnapshot(() => {
      const before = inSnapshot(() => countWriters(storage))
      addWriter(other, 'other')
      expect(storage.database.isTransaction).toBe(true)
      return [before, inSnapshot(() => countWriters(storage)), countWriters(storage)]
    })
    expect(counts).toEqual([0, 0, 0])
    expect(storage.database.isTransaction).toBe(false)
    expect(inSnapshot(() => countWriters(storage))).toBe(1)
  })

  it('that fails does not end the snapshot around it', () => {
    inSnapshot(() => {
      expect(countWriters(storage)).toBe(0)
      expect(() => inSnapshot(fail)).toThrow('injected')
      addWriter(other, 'other')
      expect(countWriters(storage)).toBe(0)
    })
    expect(() => inSnapshot(() => inSnapshot(fail))).toThrow('injected')
    expect(storage.database.isTransaction).toBe(false)
  })

  it('within a write transaction sees its changes, and is committed or rolled back with it', async () => {
    const lock = createWriteLock(storage, new AbortController().signal)
    const seen = await lock.run(() => {
      addWriter(storage, 'one')
      return inSnapshot(() => countWriters(storage))
    })
    expect(seen).toBe(1)
    const failed = lock.run(() => {
      addWriter(storage, 'two')
      inSnapshot(fail)
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
