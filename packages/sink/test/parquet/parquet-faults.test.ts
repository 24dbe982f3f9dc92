import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, RetryableError } from '@headrace/queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SinkDefinition, SinkRecord, SinkTopic } from '../../src/destination/destination.ts'
import { createFiles, type FileSystem } from '../../src/parquet/files.ts'
import { parquetSink, parquetSinkOn } from '../../src/parquet/parquet-sink.ts'
import { readPart } from '../../src/parquet/stored-files.ts'
import { createFaultyFiles, fullDisk } from './faulty-files.ts'

const topic: SinkTopic = { topic: 'a.b', partitions: 1, fields: [{ name: 'Text', number: 1, type: 'string' }] }
const seqs = Array.from({ length: 8 }, (_, seq) => seq)
const records = seqs.map((seq) => recordOf(seq))

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-parquet-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a disk that is full at any call loses and repeats nothing', async () => {
  const faults = await countCalls(folder)
  for (let fault = 0; fault < faults; fault++) {
    const path = join(folder, `${fault}`)
    let isFull = true
    const fs = createFaultyFiles((call) => {
      if (call < fault || !isFull) return
      // Once it has failed, space is freed.
      isFull = false
      throw fullDisk()
    })
    const sink = sinkOn(path, fs)
    await expect(store(sink, path), `call ${fault}`).rejects.toThrow(RetryableError)
    await store(sink, path)
    expect(await validSeqs(path)).toEqual(seqs)
  }
  expect(faults).toBeGreaterThan(30)
})

test('a disk that stays full for some time loses and repeats nothing', async () => {
  let isFull = false
  let calls = 0
  const fs = createFaultyFiles((_, name) => {
    calls++
    if (isFull && (name === 'write' || name === 'open')) throw fullDisk()
  })
  const sink = sinkOn(folder, fs)
  for (let attempt = 0; attempt < 40; attempt++) {
    isFull = attempt % 3 !== 2
    const before = calls
    await store(sink, folder, { most: 1 + (attempt % 4) }).catch((error) =>
      expect(error).toBeInstanceOf(RetryableError),
    )
    expect(calls).toBeGreaterThan(before)
  }
  isFull = false
  await store(sink, folder)
  expect(await validSeqs(folder)).toEqual(seqs)
})

test('a run that ends at any call loses and repeats nothing', async () => {
  const faults = await countCalls(folder)
  for (let fault = 0; fault < faults; fault++) {
    const path = join(folder, `${fault}`)
    const fs = createFaultyFiles((call) => {
      if (call >= fault) throw Object.assign(new Error('The process has ended.'), { code: 'EIO' })
    })
    await expect(store(sinkOn(path, fs), path), `call ${fault}`).rejects.toThrow()
    // What readers see that do not know the manifest.
    expect(seqs.slice(0, (await seqsIn(path)).length)).toEqual(await seqsIn(path))
    await store(sinkOn(path), path)
    expect(await validSeqs(path)).toEqual(seqs)
  }
})

test('a run that is taken over at any call writes nothing more', async () => {
  const faults = await countCalls(folder)
  let takenOver = 0
  for (let fault = 0; fault < faults; fault++) {
    const path = join(folder, `${fault}`)
    const fs = createFaultyFiles(async (call) => {
      if (call === fault) await store(sinkOn(path), path, { most: 3 })
    })
    const first = sinkOn(path, fs)
    const error = await store(first, path).catch((error) => error)
    if (error) takenOver++
    // A file of the first run was removed. Its next attempt takes over itself.
    if (error instanceof RetryableError) await store(first, path)
    else if (error) expect(error).toMatchObject({ code: 'sink_taken_over' })
    await store(sinkOn(path), path)
    expect(await validSeqs(path), `call ${fault}`).toEqual(seqs)
  }
  expect(takenOver).toBeGreaterThan(faults / 2)
})

async function countCalls(parent: string): Promise<number> {
  let calls = 0
  const path = join(parent, 'counted')
  await store(
    sinkOn(
      path,
      createFaultyFiles(() => calls++),
    ),
    path,
  )
  return calls
}

function sinkOn(path: string, fs?: FileSystem): SinkDefinition {
  return fs ? parquetSinkOn(createFiles(fs), { folder: path, maxRows: 4 }) : parquetSink({ folder: path, maxRows: 4 })
}

/** As a run does: from the cursor on, in batches of two. Checks what readers without a manifest see, as it is stored. */
async function store(sink: SinkDefinition, path: string, { most = records.length } = {}): Promise<void> {
  const signal = new AbortController().signal
  const context = { name: 'test', topics: [topic], readOnly: false, log, signal }
  const destination = await sink.open(context)
  try {
    await destination.prepare()
    const from = Number((await destination.readCursor(topic.topic)) ?? 0)
    for (let at = from; at < Math.min(records.length, from + most); at += 2)
      await destination.apply({ topic: topic.topic, records: records.slice(at, at + 2), cursor: `${at + 2}` })
    await destination.holding!.flush(topic.topic)
    const seen = await seqsIn(path)
    expect(seen).toEqual(seqs.slice(0, seen.length))
  } finally {
    await destination.close()
  }
}

/** As the manifest names them. */
async function validSeqs(path: string): Promise<number[]> {
  const context = { name: 'test', topics: [topic], readOnly: true, log }
  const destination = await parquetSink({ folder: path }).open({ ...context, signal: new AbortController().signal })
  const found: number[] = []
  for await (const rows of destination.readRows!(topic.topic, 0)) found.push(...rows.map(({ seq }) => Number(seq)))
  // Nothing else is left.
  expect(await seqsIn(path)).toEqual(found)
  return found
}

/** Of all files, in order of their names. */
async function seqsIn(path: string): Promise<number[]> {
  const names = await readdir(join(path, topic.topic)).catch(() => [])
  const found: number[] = []
  for (const name of names.filter((name) => name.endsWith('.parquet')).toSorted())
    for await (const rows of readPart(join(path, topic.topic, name)))
      found.push(...rows.map(({ _seq }) => Number(_seq)))
  return found
}

function recordOf(seq: number): SinkRecord {
  const value = { Text: `text ${seq}` }
  const place = { topic: topic.topic, partition: 0, seq: `${seq}`, unit: `${seq + 1}`, offset: `${seq}`, key: null }
  return { ...place, op: 'append', time: '2026-11-24T20:00:00Z', value, cursor: '' }
}
