import type { JsonSchema } from '@headrace/catalog'
import { countFitting, itemBytes, jsonBytes, shorten } from '../bounded-answer.ts'

/** A record of a page of `GET /api/v1/data/<topic>`. */
export interface PageRecord {
  readonly topic: string
  readonly offset: string
  readonly cursor: string
  readonly value?: unknown
  readonly [member: string]: unknown
}

/** Without its topic, offset and cursor. */
export type ReadRecord = Readonly<Record<string, unknown>>

export interface BoundedRecords {
  /** The first ones, as many as fit, at least one if there is one. */
  readonly records: readonly ReadRecord[]
  readonly isShortened: boolean
}

const elements = 200

export const cutNote =
  'Parts with a mark such as …[+500 characters] are cut. To see more, read fewer records, name fields, or raise max_chars.'

export function boundRecords(page: readonly PageRecord[], characters: number): BoundedRecords {
  const whole = page.map(({ topic, offset, cursor, ...record }) => record)
  const first = shorten(whole, { characters, elements: Math.max(elements, page.length) })
  if (page.length === 0 || countFitting(first.value.slice(0, 1)) === 1) {
    const records = first.value.slice(0, countFitting(first.value))
    return { records, isShortened: first.isShortened }
  }
  return { records: [shortenMore(whole[0]!)], isShortened: true }
}

/** Of a record that alone is too long. */
function shortenMore(record: ReadRecord): ReadRecord {
  for (const limits of [
    { characters: 200, elements: 50 },
    { characters: 50, elements: 10 },
  ]) {
    const { value } = shorten(record, limits)
    if (jsonBytes(value) < itemBytes) return value
  }
  const { value, ...others } = record
  const mark = `…[a value of ${jsonBytes(value)} bytes. Name the fields to read]`
  return { ...shorten(others, { characters: 50, elements: 10 }).value, value: mark }
}

export const recordSchema: JsonSchema = {
  type: 'object',
  properties: {
    partition: { type: 'integer' },
    seq: {
      type: ['string', 'null'],
      description: 'its number in the partition, without gaps in the log. null: not written by a Headrace connector',
    },
    unit: { type: ['string', 'null'], description: 'number of the unit (transaction) that it was published in' },
    time: { type: 'string', description: 'RFC 3339' },
    key: { type: ['string', 'null'] },
    op: { enum: ['append', 'revert'], description: 'revert: it reverts an earlier record' },
    reverts: { type: 'string', description: 'seq of the reverted record' },
    value: { description: 'the data. 64-bit integers are texts, so that they are exact' },
    error: { type: 'object', description: 'why there is no value' },
    raw: { type: 'string', description: 'bytes that could not be decoded, in base64' },
    skipped: { type: 'integer', description: 'how many records the filter left out before this one' },
  },
  required: ['partition', 'seq', 'unit', 'time', 'key', 'op'],
}
