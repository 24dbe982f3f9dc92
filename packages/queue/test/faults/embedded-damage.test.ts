import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { Random } from '../../../../scripts/random.ts'
import { type KnownPartition, type Look, lookAt, makeKnownQueue, note, textOf } from './known-queue.ts'

let directory: string
let known: KnownPartition[]
/** The file of a queue that nobody has open, and one with a log beside it. */
let file: Buffer
let logged: { file: Buffer; log: Buffer }

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  const made = join(directory, 'made')
  mkdirSync(made)
  known = await makeKnownQueue(made)
  file = readFileSync(join(made, 'queue.db'))
  logged = await killedWriter()
})
afterAll(() => rmSync(directory, { recursive: true }))

const pageBytes = 16_384

interface Damage {
  readonly file: Buffer
  readonly log?: Buffer | undefined
}

/** What happens to files. Each changes something. */
const damages: Record<string, (random: Random) => Damage> = {
  'a bit anywhere': (random) => ({ file: flipBit(file, random.integer(file.length)) }),
  'a bit of the header': (random) => ({ file: flipBit(file, random.integer(100)) }),
  'a bit of the first pages': (random) => ({ file: flipBit(file, random.integer(pageBytes * 8)) }),
  'a bit where a page begins': (random) => ({ file: flipBit(file, pageOf(random) + random.integer(64)) }),
  'a bit of a row': (random) => ({ file: flipBit(file, placeInRows(random)) }),
  'a page of zeros': (random) => ({ file: Buffer.from(file).fill(0, ...rangeOfPage(random)) }),
  'a page of another place': (random) => {
    const damaged = Buffer.from(file)
    file.copy(damaged, pageOf(random), ...rangeOfPage(random))
    return { file: damaged }
  },
  'an end that is missing': (random) => ({ file: file.subarray(0, random.integer(file.length)) }),
  'a bit of the log': (random) => ({ ...logged, log: flipBit(logged.log, random.integer(logged.log.length)) }),
  'a log that is cut off': (random) => ({ ...logged, log: logged.log.subarray(0, random.integer(logged.log.length)) }),
  'a log that is gone': () => ({ file: logged.file }),
}

describe('a damaged file', () => {
  it('gives true records or an error that says so, whatever has changed', async () => {
    const kinds = Object.keys(damages)
    const plan = planFaults('embedded damage', { once: 11, scaled: 220, full: 2_200 }, kinds)
    let harmless = 0
    for (let round = 0; round < plan.count; round++) {
      const kind = kinds[round % kinds.length]!
      const look = await lookAtDamaged(damages[kind]!(plan.random), kind.includes('log'), round)
      expect(look.untrue, `${kind}, round ${round}`).toEqual([])
      for (const error of look.errors) expect(error).toMatch(/damaged|no database|version|another program|locked/)
      if (look.errors.length === 0) harmless++
      plan.hit(kind)
    }
    plan.expectAllHit()
    expect(harmless, 'rounds in which the damage was not noticed').toBeLessThan(plan.count)
  })

  it('is taken for what it was before its last commits where the log with these is gone', async () => {
    const look = await lookAtDamaged({ file: logged.file }, true, 'log')
    expect(look).toEqual({ errors: [], untrue: [] })
  })
})

describe('the checksum of a row', () => {
  it('is what keeps an older record from being served as the newest: without it one is', async () => {
    const hideNewest = `UPDATE batches SET keys_low = 0, keys_high = 0 WHERE id =
      (SELECT max(id) FROM batches WHERE bytes_id > 0 AND id < (SELECT id FROM partitions WHERE topic = 3) + 1 << 43)`
    const guarded = await lookAfter(hideNewest, { openQueue, makeKnownQueue, lookAt }, 'guarded')
    expect(guarded.untrue).toEqual([])
    expect(guarded.errors).not.toEqual([])
    vi.resetModules()
    vi.doMock('../../src/embedded/row-checksum.ts', () => ({ rowChecksum: () => 0 }))
    const unguarded = { ...(await import('../../src/index.ts')), ...(await import('./known-queue.ts')) }
    const look = await lookAfter(hideNewest, unguarded, 'unguarded')
    vi.doUnmock('../../src/embedded/row-checksum.ts')
    expect(look.untrue.join()).toMatch(/the newest "newest" is/)
  })

  interface Modules {
    openQueue: typeof openQueue
    makeKnownQueue: typeof makeKnownQueue
    lookAt: typeof lookAt
  }

  async function lookAfter(sql: string, modules: Modules, name: string): Promise<Look> {
    const folder = join(directory, name)
    mkdirSync(folder)
    const known = await modules.makeKnownQueue(folder)
    execute(join(folder, 'queue.db'), sql)
    const queue = await modules.openQueue(`embedded:${folder}`)
    const look = await modules.lookAt(queue, known, false)
    await queue.close()
    return look
  }
})

describe('what is no queue', () => {
  it.each([
    ['an empty file', (path: string) => writeFileSync(path, ''), undefined],
    ['text', (path: string) => writeFileSync(path, 'not a database '.repeat(2_000)), 'unsupported_storage'],
    ['a folder', (path: string) => mkdirSync(path), 'permission_denied'],
    ['of a later version', (path: string) => writeVersion(path, 99), 'unsupported_storage'],
    ['of an earlier version', (path: string) => writeVersion(path, 1), 'unsupported_storage'],
    ['without its tables', (path: string) => execute(path, 'DROP TABLE bytes'), 'damaged_storage'],
    [
      'a database of another program',
      (path: string) => execute(path, 'PRAGMA application_id = 1'),
      'unsupported_storage',
    ],
  ])('is refused, unless it is empty: %s', async (name, make, code) => {
    const folder = join(directory, name.replaceAll(' ', '-'))
    mkdirSync(folder)
    const path = join(folder, 'queue.db')
    if (!['a folder'].includes(name)) writeFileSync(path, file)
    make(path)
    const opened = openQueue(`embedded:${folder}`)
    if (code === undefined) await (await opened).close()
    else await expect(opened).rejects.toMatchObject({ code, message: expect.stringContaining(path) })
  })
})

/** A file and its log as a killed writer leaves them: the log holds commits that the file does not. */
async function killedWriter(): Promise<{ file: Buffer; log: Buffer }> {
  const folder = join(directory, 'killed')
  mkdirSync(folder)
  const path = join(folder, 'queue.db')
  writeFileSync(path, file)
  const queue = await openQueue(`embedded:${folder}`)
  for (let index = 0; index < 20; index++) {
    await queue.append([{ topic: 'empty', key: null, value: Buffer.alloc(5_000, index), time: index }])
  }
  for (const name of ['copy.db', 'copy.db-wal'])
    copyFileSync(join(folder, name.replace('copy', 'queue')), join(folder, name))
  await queue.close()
  return { file: readFileSync(join(folder, 'copy.db')), log: readFileSync(join(folder, 'copy.db-wal')) }
}

async function lookAtDamaged({ file, log }: Damage, ofLog: boolean, name: unknown): Promise<Look> {
  const folder = join(directory, `damaged-${name}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'queue.db'), file)
  if (log !== undefined) writeFileSync(join(folder, 'queue.db-wal'), log)
  const look: Look = { errors: [], untrue: [] }
  await note(look, async () => {
    const queue = await openQueue(`embedded:${folder}`, { create: false })
    try {
      const expected = ofLog ? known.map((one) => (one.topic === 'empty' ? grown(one) : one)) : known
      const { errors, untrue } = await lookAt(queue, expected, ofLog)
      look.errors.push(...errors)
      look.untrue.push(...untrue)
      for (const { topic, partition, end } of ofLog ? [] : known) await appendTo(queue, { topic, partition, end }, look)
    } finally {
      await queue.close()
    }
  })
  rmSync(folder, { recursive: true })
  return look
}

/** What was appended to `empty` after the file was made. */
function grown(partition: KnownPartition): KnownPartition {
  const records = new Map<bigint, string>()
  for (let index = 0; index < 20; index++) {
    const record = { topic: 'empty', partition: 0, offset: BigInt(index), key: null, headers: [] }
    records.set(BigInt(index), textOf({ ...record, value: Buffer.alloc(5_000, index), time: index }))
  }
  return { ...partition, end: 20n, records }
}

/** Writing to a damaged file is refused, or does what it says. */
async function appendTo(
  queue: Awaited<ReturnType<typeof openQueue>>,
  { topic, partition, end: offset }: { topic: string; partition: number; end: bigint },
  look: Look,
): Promise<void> {
  await note(look, async () => {
    await queue.append([{ topic, partition, key: Buffer.from('after'), value: Buffer.from('damage'), time: 3_000 }])
    const { batches } = await queue.read({ topic, partition, offset }, { maxBytes: 1 << 16 })
    const values = batches.flatMap((batch) => Array.from(batch.records(), ({ value }) => `${Buffer.from(value!)}`))
    if (values.join() !== 'damage') look.untrue.push(`what was appended to ${topic} is "${values}"`)
  })
}

function flipBit(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes)
  damaged[at]! ^= 1 << (at % 8)
  return damaged
}

function pageOf(random: Random): number {
  return random.integer(file.length / pageBytes) * pageBytes
}

function rangeOfPage(random: Random): [number, number] {
  const begin = pageOf(random)
  return [begin, begin + pageBytes]
}

/** A place in the used part of a page of rows, where little else is than rows. */
function placeInRows(random: Random): number {
  for (;;) {
    const page = pageOf(random)
    if (file[page] === 0x0d) return page + pageBytes - 1 - random.integer(2_000)
  }
}

function writeVersion(path: string, version: number): void {
  execute(path, `PRAGMA user_version = ${version}`)
}

function execute(path: string, sql: string): void {
  expect(existsSync(path)).toBe(true)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
