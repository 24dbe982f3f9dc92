import { type KeyForm, readIntegerKey } from '../record-json/key-form.ts'
import { lastSecond } from '../record-json/write-time.ts'
import { readSpan } from './operand.ts'
import { KeySource, type RecordSource } from './record-source.ts'
import { unreadable } from './source.ts'
import type { Operand } from './term.ts'
import { shorten } from './value.ts'

/** What a filter calls the parts of a record other than its value. */
export function createRecordNames(record: RecordSource, keyForm: KeyForm): [string, Operand][] {
  const common = { kind: 'operand', scope: record.scope } as const
  return [
    ['key', keyOperand(record, keyForm)],
    [
      'time',
      {
        ...common,
        id: 'time',
        type: { kind: 'time', name: 'a time', nullable: false, rank: 1 },
        read: () => {
          const time = Math.max(0, record.record.time)
          const seconds = Math.floor(time / 1000)
          if (seconds > lastSecond) return { seconds: lastSecond, nanos: 0 }
          return { seconds, nanos: (time - seconds * 1000) * 1_000_000 }
        },
      },
    ],
    [
      'op',
      {
        ...common,
        id: 'op',
        type: { kind: 'text', name: 'an operation', nullable: false, texts: ['append', 'revert'], rank: 0 },
        read: () => (record.headers.op === 'revert' ? revert : append),
      },
    ],
    [
      'unit',
      {
        ...common,
        id: 'unit',
        type: { kind: 'number', name: 'a number', nullable: true, rank: 2 },
        read: () => record.headers.unit ?? null,
      },
    ],
  ]
}

const append = Buffer.from('append')
const revert = Buffer.from('revert')

/** As it is rendered. A key that does not have its form cannot be read. */
function keyOperand(record: RecordSource, form: KeyForm): Operand {
  const source = new KeySource(record)
  const place = { source, slot: 0 }
  const read = readSpan(place, null)
  const common = { kind: 'operand', scope: record.scope, id: 'key' } as const
  if (form === 'bytes')
    return { ...common, place, read, type: { kind: 'bytes', name: 'bytes', nullable: true, rank: 3 } }
  if (form === 'string')
    return { ...common, place, read, type: { kind: 'text', name: 'a string', nullable: true, rank: 3 } }
  return {
    ...common,
    type: { kind: 'number', name: 'a number', nullable: true, rank: 3 },
    read: () => {
      const key = read() as Uint8Array | null
      if (key === null) return null
      const integer = readIntegerKey(key, form)
      if (integer === undefined) throw unreadable
      return shorten(integer)
    },
  }
}
