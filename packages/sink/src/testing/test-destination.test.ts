import { UserError } from '@headrace/queue'
import { expect, test } from 'vitest'
import {
  type Destination,
  defineSink,
  type SinkBatch,
  type SinkDefinition,
  type StoredRow,
} from '../destination/destination.ts'
import { takenOver } from '../errors.ts'
import { testDestination } from './test-destination.ts'

/** What is kept of a place after a run. */
interface Store {
  cursors: Record<string, string>
  rows: Record<string, StoredRow[]>
}

type Defect =
  | 'keeps the cursor of an earlier run'
  | 'drops the cursor of an empty batch'
  | 'reverts in any partition'
  | 'reverts before it appends'
  | 'stores a part of a refused batch'
  | 'has two writers'
  | 'knows fields by lower case'
  | 'stores 64-bit integers as numbers'
  | 'cuts long texts'
  | 'hides errors'
  | 'writes when it is read'

function memorySink(stores: Map<string, Store>, defect?: Defect): (place: string) => SinkDefinition {
  return (place) =>
    defineSink({
      kind: 'memory',
      records: 'canonical',
      open: async ({ name, topics, readOnly }) => {
        const store = stores.get(place) ?? { cursors: {}, rows: {} }
        stores.set(place, store)
        const seen = { ...store.cursors }
        if (readOnly && defect === 'writes when it is read') store.cursors = {}
        return destination(store, seen, { name, topics: topics.map(({ topic }) => topic), defect })
      },
    })
}

function destination(
  store: Store,
  seen: Record<string, string>,
  { name, topics, defect }: { name: string; topics: readonly string[]; defect: Defect | undefined },
): Destination {
  const rowsOf = (topic: string, partition: number) => {
    store.rows[`${topic}/${partition}`] ??= []
    return store.rows[`${topic}/${partition}`]!
  }

  function applyTo({ topic, records, cursor }: SinkBatch): void {
    if (defect !== 'has two writers' && seen[topic] !== store.cursors[topic]) throw takenOver(name)
    const order =
      defect === 'reverts before it appends' ? records.toSorted((one) => (one.op === 'revert' ? -1 : 1)) : records
    for (const record of order) {
      const { partition, seq, offset, key, value, error } = record
      if (error && defect === 'hides errors') continue
      if (record.op === 'append')
        rowsOf(topic, partition).push({ seq: BigInt(seq ?? offset), key, value: stored(value) })
      else
        for (const of of defect === 'reverts in any partition' ? [0, 1, 2] : [partition]) {
          const rows = rowsOf(topic, of)
          const at = rows.findIndex((row) => row.seq === BigInt(record.reverts))
          if (at >= 0) rows.splice(at, 1)
        }
      if (JSON.stringify(value).includes('\\u0000')) throw new UserError('unmappable_value', 'It has NUL.')
    }
    if (records.length > 0 || defect !== 'drops the cursor of an empty batch') store.cursors[topic] = cursor
    seen[topic] = store.cursors[topic]!
  }

  function stored(value: StoredRow['value']): StoredRow['value'] {
    const entries = Object.entries(value ?? {}).map(([name, of]) => {
      if (defect === 'knows fields by lower case') return [name.toLowerCase(), of]
      if (defect === 'stores 64-bit integers as numbers' && /^\d{16,}$/.test(`${of}`)) return [name, `${Number(of)}`]
      if (defect === 'cuts long texts' && typeof of === 'string') return [name, of.slice(0, 65_535)]
      return [name, of]
    })
    return value && Object.fromEntries(entries)
  }

  return {
    async prepare() {},
    readCursor: async (topic) =>
      defect === 'keeps the cursor of an earlier run' && topics.length > 1 ? undefined : store.cursors[topic],
    async apply(batch) {
      const before = structuredClone(store)
      try {
        applyTo(batch)
      } catch (error) {
        if (defect !== 'stores a part of a refused batch') Object.assign(store, before)
        throw error
      }
    },
    async *readRows(topic, partition) {
      yield rowsOf(topic, partition)
    },
    async close() {},
  }
}

test('a destination that keeps the contract passes', async () => {
  const { cases, refused } = await testDestination({ sink: memorySink(new Map()) })
  expect(cases.length).toBeGreaterThan(20)
  expect(refused.length).toBe(4)
})

test.each<[Defect, string]>([
  ['keeps the cursor of an earlier run', 'topics and partitions have rows and cursors of their own'],
  ['drops the cursor of an empty batch', 'an empty batch moves only the cursor'],
  ['reverts in any partition', 'a revert concerns only its topic and its partition'],
  ['reverts before it appends', 'a revert removes a record of the same batch'],
  ['stores a part of a refused batch', 'a value is stored as it is, or refused with its whole batch'],
  ['has two writers', 'of two runs of a sink, only one writes'],
  ['knows fields by lower case', 'a field may have any name'],
  ['stores 64-bit integers as numbers', 'the extreme values of each type are stored as they are'],
  ['cuts long texts', 'the extreme values of each type are stored as they are'],
  ['hides errors', 'a record without a value, or with an error, is stored and reverted'],
  ['writes when it is read', 'a new destination has no cursor, and what is applied has one'],
])('a destination that %s fails', async (defect, name) => {
  await expect(testDestination({ sink: memorySink(new Map(), defect) })).rejects.toThrow(`Case: ${name}`)
})
