import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBatchRows, endRow } from './batch-rows.ts'
import { createSnapshot, openStorage, type Storage } from './storage.ts'
import { createTopicRows, type TopicRows } from './topic-rows.ts'
import { createTopicTable, type TopicTable } from './topics.ts'
import { createWriteLock } from './write-lock.ts'

let directory: string
let storage: Storage
/** The connection of another process. */
let other: Storage
let closing: AbortController
/** Runs once, after the next statement that reads all topics or all partitions. */
let afterNextStatement: (() => void) | undefined

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  storage = await openStorage({ directory, create: true })
  other = await openStorage({ directory, create: false })
  closing = new AbortController()
})
afterEach(() => {
  closing.abort()
  storage.database.close()
  other.database.close()
  rmSync(directory, { recursive: true })
})

describe('the topic table', () => {
  it('reads topics and partitions in one snapshot while another process creates a topic', () => {
    const topics = openTable()
    createInOther('first')
    afterNextStatement = () => createInOther('second')
    expect(topics.all().map(({ name }) => name)).toEqual(['first'])
    expect(afterNextStatement).toBeUndefined()
    expect(topics.all().map(({ name }) => name)).toEqual(['first', 'second'])
  })

  it('finds a topic while another process creates one', () => {
    const topics = openTable()
    createInOther('first')
    afterNextStatement = () => createInOther('second')
    expect(topics.topic('first').partitions).toHaveLength(2)
    expect(topics.topic('second').partitions).toHaveLength(2)
  })

  it('creates a topic while another process creates the same one', async () => {
    const topics = openTable()
    createInOther('first')
    afterNextStatement = () => createInOther('second')
    await topics.create([{ name: 'second', partitions: 2 }])
    expect(topics.all().map(({ name }) => name)).toEqual(['first', 'second'])
  })

  it('describes topics and the bounds of their partitions within a snapshot of the caller', () => {
    const topics = openTable()
    createInOther('first')
    afterNextStatement = () => createInOther('second')
    const described = createSnapshot(storage, closing.signal)(() => topics.describe())
    expect(described.map(({ name }) => name)).toEqual(['first'])
  })
})

function openTable(): TopicTable {
  const lock = createWriteLock(storage, closing.signal)
  const rows = createTopicRows(storage)
  const interrupted: TopicRows = {
    ...rows,
    topics: () => interrupt(rows.topics()),
    partitions: () => interrupt(rows.partitions()),
  }
  const inSnapshot = createSnapshot(storage, closing.signal)
  return createTopicTable(storage, { rows: interrupted, batchRows: createBatchRows(storage), lock, inSnapshot })
}

function interrupt<T>(result: T): T {
  const work = afterNextStatement
  afterNextStatement = undefined
  work?.()
  return result
}

/** Creates a topic of two partitions, as another process does. */
function createInOther(name: string): void {
  const rows = createTopicRows(other)
  other.database.exec('BEGIN IMMEDIATE')
  const topic = rows.topics().length + 1
  rows.insertTopic({ id: topic, name, uid: name, cleanup: 'delete' })
  const first = rows.partitions().length + 1
  for (const number of [0, 1]) {
    rows.insertPartition({ id: first + number, topic, number, earliest: 0 })
    createBatchRows(other).insert({ id: first + number }, endRow({ end: 0, maxTime: -1 }))
  }
  other.database.exec('COMMIT')
}
