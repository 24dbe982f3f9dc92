import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { compareFolder, createExampleFiles, type ExampleFiles, fileDamages, writeQueueFiles } from './file-damages.ts'
import { type Comparison, compareQueue, createExampleQueue } from './known-queue.ts'

let directory: string
let files: ExampleFiles

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  files = await createExampleFiles(directory)
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('a damaged file', () => {
  it('serves correct records or throws an error after any change', async () => {
    const kinds = Object.keys(fileDamages)
    const plan = planFaults('embedded damage', { once: 17, scaled: 238, full: 2_380 }, kinds)
    let unnoticed = 0
    for (let round = 0; round < plan.count; round++) {
      const kind = kinds[round % kinds.length]!
      const folder = join(directory, `damaged-${round}`)
      writeQueueFiles(folder, fileDamages[kind]!(files, plan.random))
      const comparison = await compareFolder(folder, files.expected, kind.includes('log'))
      rmSync(folder, { recursive: true })
      expect(comparison.differences, `${kind}, round ${round}`).toEqual([])
      for (const error of comparison.errors) expect(error).toMatch(/damaged|no database|version|another program|locked/)
      if (comparison.errors.length === 0) unnoticed++
      plan.hit(kind)
    }
    plan.expectAllHit()
    expect(unnoticed, 'rounds in which the damage was not noticed').toBeLessThan(plan.count)
  })

  it('is read without its last commits if the write-ahead log with these is missing', async () => {
    const folder = join(directory, 'without-log')
    writeQueueFiles(folder, { database: files.killed.database })
    expect(await compareFolder(folder, files.expected, true)).toEqual({ errors: [], differences: [] })
  })
})

describe('the checksum of a row', () => {
  it('prevents a read of an older record as the newest one', async () => {
    const hideNewest = `UPDATE batches SET superseded_by = 0,
      key = CASE WHEN id = (SELECT max(id) FROM batches WHERE key = CAST('newest' AS BLOB)) THEN NULL ELSE key END
      WHERE key = CAST('newest' AS BLOB)`
    const withChecksum = await compareAfter(hideNewest, { openQueue, createExampleQueue, compareQueue }, 'withChecksum')
    expect(withChecksum.differences).toEqual([])
    expect(withChecksum.errors).not.toEqual([])
    vi.resetModules()
    vi.doMock('../../src/embedded/storage/row-checksum.ts', () => ({ rowChecksum: () => 0 }))
    const withoutChecksum = { ...(await import('../../src/index.ts')), ...(await import('./known-queue.ts')) }
    const comparison = await compareAfter(hideNewest, withoutChecksum, 'withoutChecksum')
    vi.doUnmock('../../src/embedded/storage/row-checksum.ts')
    expect(comparison.differences.join()).toMatch(/the newest "newest" is/)
  })

  interface Modules {
    openQueue: typeof openQueue
    createExampleQueue: typeof createExampleQueue
    compareQueue: typeof compareQueue
  }

  async function compareAfter(sql: string, modules: Modules, name: string): Promise<Comparison> {
    const folder = join(directory, name)
    mkdirSync(folder)
    const expected = await modules.createExampleQueue(folder)
    execute(join(folder, 'queue.db'), sql)
    const queue = await modules.openQueue(`embedded:${folder}`)
    const comparison = await modules.compareQueue(queue, expected, false)
    await queue.close()
    return comparison
  }
})

describe('a file that is not a queue', () => {
  it.each([
    ['an empty file', (path: string) => writeFileSync(path, ''), undefined],
    ['text', (path: string) => writeFileSync(path, 'not a database '.repeat(2_000)), 'unsupported_storage'],
    ['a folder', (path: string) => mkdirSync(path), 'permission_denied'],
    ['of a later version', (path: string) => writeVersion(path, 99), 'unsupported_storage'],
    ['of an earlier version', (path: string) => writeVersion(path, 2), 'unsupported_storage'],
    ['without its tables', (path: string) => execute(path, 'DROP TABLE bytes'), 'damaged_storage'],
    [
      'a database of another program',
      (path: string) => execute(path, 'PRAGMA application_id = 1'),
      'unsupported_storage',
    ],
  ])('is refused if it is not empty: %s', async (name, make, code) => {
    const folder = join(directory, name.replaceAll(' ', '-'))
    mkdirSync(folder)
    const path = join(folder, 'queue.db')
    if (!['a folder'].includes(name)) writeFileSync(path, files.closed.database)
    make(path)
    const opened = openQueue(`embedded:${folder}`)
    if (code === undefined) await (await opened).close()
    else await expect(opened).rejects.toMatchObject({ code, message: expect.stringContaining(path) })
  })
})

function writeVersion(path: string, version: number): void {
  execute(path, `PRAGMA user_version = ${version}`)
}

function execute(path: string, sql: string): void {
  expect(existsSync(path)).toBe(true)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
