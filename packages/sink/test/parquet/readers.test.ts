import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@headrace/queue'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PreparedPrograms, preparePython } from '../../../testbed/children/python.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import type {
  SinkContext,
  SinkDefinition,
  SinkRecord,
  SinkTopic,
  StoredRow,
} from '../../src/destination/destination.ts'
import { fieldReader } from '../../src/field/read-field.ts'
import type { FieldType, TopicField } from '../../src/field/topic-fields.ts'
import { parquetSink } from '../../src/parquet/parquet-sink.ts'
import { differingField } from '../../src/verification/compare-values.ts'

const types: readonly FieldType[] = [
  ...(['bool', 'int32', 'uint32', 'int64', 'uint64', 'float', 'double'] as const),
  ...(['string', 'hex', 'base64', 'enum', 'timestamp', 'duration', 'json'] as const),
]
/** Names that readers may take for something else: keywords, quotes, and one that differs in case only. */
const names: Partial<Record<FieldType, string>> = {
  bool: 'select',
  string: 'String',
  hex: 'sTring',
  json: '_seq',
  enum: 'constructor',
  duration: '__proto__',
}
const fields = types.map((type, n): TopicField => ({ name: names[type] ?? `of_${type}`, number: n + 1, type }))
const topic: SinkTopic = { topic: 'a.b', partitions: 2, fields }

let deep: unknown = 'end'
for (let depth = 0; depth < 90; depth++) deep = { Next: deep }
/** By type of field, in the form of the API. */
const values: Readonly<Record<FieldType, readonly unknown[]>> = {
  bool: [true, false],
  int32: [-(2 ** 31), 2 ** 31 - 1, 0],
  uint32: [2 ** 32 - 1, 0],
  int64: [`${-(2n ** 63n)}`, `${2n ** 63n - 1n}`, '0'],
  uint64: [`${2n ** 64n - 1n}`, `${2n ** 63n}`, '0'],
  float: ['NaN', 'Infinity', '-Infinity', -0, Math.fround(3.4028234e38), Math.fround(1e-45)],
  double: ['NaN', 'Infinity', '-Infinity', -0, Number.MAX_VALUE, Number.MIN_VALUE],
  string: ['', 'a\0b', '\u{1F600} \u{10FFFF} \uFFFF', '\ufeff"\'\\\n', 'x'.repeat(100_000)],
  hex: ['0x', '0x00', `0x${'ff'.repeat(64)}`],
  base64: ['', 'AAEC/w==', Buffer.alloc(5000, 0xff).toString('base64')],
  enum: ['OK', 7, -1],
  timestamp: [
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '1969-12-31T23:59:59.000001Z',
    '2026-11-24T20:00:00.123Z',
  ],
  duration: ['0s', '-315576000000.999999999s', '1.500s'],
  json: [deep, { map: { '': [], '\0': null, __proto__x: '18446744073709551615' } }, [1.5, 'NaN', null], 'text'],
}
const rows = Math.max(...Object.values(values).map(({ length }) => length)) + 1
const records = Array.from({ length: rows }, (_, row) => recordOf(row))

let folder: string
let sink: SinkDefinition
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-readers-'))
  sink = parquetSink({ folder })
  await write(sink, topic, records)
})
afterAll(() => rm(folder, { recursive: true }))

test('every value is read back as it was published, times in microseconds', async () => {
  for (const partition of [0, 1]) {
    const expected = records.filter((record) => record.partition === partition)
    const found = await readBack(sink, topic, partition)
    expect(found.map(({ seq, key }) => [`${seq}`, key])).toEqual(expected.map(({ seq, key }) => [seq, key]))
    for (const [row, { value }] of expected.entries())
      expect(differingField(topic, value, found[row]!.value), `row ${row}`).toBeUndefined()
  }
})

test('a field that is added or renamed later gets its column, and earlier columns keep their names', async () => {
  const before = { topic: 'a.changed', partitions: 1, fields: [{ name: 'Old', number: 1, type: 'int32' as const }] }
  const after = {
    ...before,
    fields: [
      { name: 'New', number: 1, type: 'int32' as const },
      { name: 'Added', number: 2, type: 'string' as const },
    ],
  }
  const record = { ...records[0]!, partition: 0 }
  await write(sink, before, [{ ...record, seq: '0', value: { Old: 1 } }])
  await write(sink, after, [{ ...record, seq: '1', value: { New: 2, Added: 'x' } }])
  expect((await readBack(sink, after, 0)).map(({ value }) => value)).toEqual([{ New: 1 }, { New: 2, Added: 'x' }])
})

test('records without a schema are one column of JSON', async () => {
  const plain = { topic: 'a.json', partitions: 1, fields: undefined }
  const found = [{ any: ['thing', 1] }, null]
  await write(
    sink,
    plain,
    found.map((value, seq) => ({ ...records[0]!, partition: 0, seq: `${seq}`, value })),
  )
  expect((await readBack(sink, plain, 0)).map(({ value }) => value)).toEqual(found)
})

describe('other readers', () => {
  let python: PreparedPrograms
  beforeAll(async () => {
    python = await preparePython(['duckdb==2.0.1', 'pyarrow==26.0.1'])
    if ('unavailable' in python) reportSkipped('Parquet readers', python.unavailable)
  })

  test.each(['duckdb', 'pyarrow'])('%s reads every value', async (reader) => {
    if ('unavailable' in python) return
    const program = join(import.meta.dirname, 'read_parquet.py')
    const path = join(folder, topic.topic, '*.parquet')
    const { stdout } = await execa(join(python.folder, 'python3'), [program, reader, path])
    const found = JSON.parse(stdout) as { types: unknown; rows: unknown[][] }
    expect(found.rows).toEqual(
      records.map(({ value }) => types.map((type, n) => inPython(type, fieldReader(fields[n]!.name)(value)))),
    )
    if (reader === 'duckdb')
      expect(found.types).toMatchInlineSnapshot(`
        {
          "__proto___13": "VARCHAR",
          "_error": "VARCHAR",
          "_key": "VARCHAR",
          "_partition": "INTEGER",
          "_seq": "BIGINT",
          "_seq_14": "VARCHAR",
          "_time": "TIMESTAMP WITH TIME ZONE",
          "_unit": "BIGINT",
          "constructor": "VARCHAR",
          "of_base64": "BLOB",
          "of_double": "DOUBLE",
          "of_float": "FLOAT",
          "of_int32": "INTEGER",
          "of_int64": "BIGINT",
          "of_timestamp": "TIMESTAMP WITH TIME ZONE",
          "of_uint32": "UINTEGER",
          "of_uint64": "UBIGINT",
          "s_tring": "BLOB",
          "select": "BOOLEAN",
          "string": "VARCHAR",
        }
      `)
  })
})

/** As `read_parquet.py` prints it. */
function inPython(type: FieldType, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (type === 'hex') return `${value}`.slice(2)
  if (type === 'base64') return Buffer.from(`${value}`, 'base64').toString('hex')
  if (type === 'timestamp') return microseconds(`${value}`)
  if (type === 'json') return JSON.stringify(value)
  if (type === 'float' || type === 'double') return Number.isFinite(Number(value)) ? value : `${value}`
  return `${value}`
}

function microseconds(time: string): string {
  const [, seconds, fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(time)!
  return `${BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))}`
}

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }

function context(one: SinkTopic, readOnly: boolean): SinkContext {
  return { name: 'test', topics: [one], readOnly, log, signal: new AbortController().signal }
}

async function write(to: SinkDefinition, one: SinkTopic, written: readonly SinkRecord[]): Promise<void> {
  const destination = await to.open(context(one, false))
  await destination.prepare()
  await destination.apply({ topic: one.topic, records: written, cursor: `${written.at(-1)!.seq}` })
  await destination.holding!.flush(one.topic)
  await destination.close()
}

async function readBack(from: SinkDefinition, one: SinkTopic, partition: number): Promise<StoredRow[]> {
  const destination = await from.open(context(one, true))
  const found: StoredRow[] = []
  for await (const rows of destination.readRows!(one.topic, partition)) found.push(...rows)
  return found
}

/** The last one has no values. */
function recordOf(row: number): SinkRecord {
  const value = Object.fromEntries(
    fields.flatMap(({ name, type }) => (row === rows - 1 ? [] : [[name, values[type][row % values[type].length]]])),
  )
  const place = { topic: topic.topic, partition: row % 2, seq: `${row >> 1}`, offset: `${row}`, unit: null }
  return {
    ...place,
    key: row === 0 ? null : `key\0${row}`,
    op: 'append',
    time: '2026-11-24T20:00:00.5Z',
    value,
    cursor: '',
  }
}
