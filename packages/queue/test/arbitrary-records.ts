import fc from 'fast-check'
import type { Compression } from '../src/record-batch/compression.ts'
import { BatchEncoder } from '../src/record-batch/encode.ts'
import type { BatchedRecord } from '../src/record-batch/encode-record.ts'

const repeated = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([pattern, times]) => new Uint8Array(Buffer.alloc(pattern.length * times, pattern)))

/** Short lengths, lengths at which a varint needs another byte, and long ones that compress well. */
const bytes = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 70 }) },
  { weight: 2, arbitrary: fc.integer({ min: 8_180, max: 8_200 }).map((length) => new Uint8Array(length).fill(7)) },
  { weight: 1, arbitrary: repeated },
)

const headerKey = fc.oneof(
  fc.constantFrom('at', 'op', '', '\ufeffmark', 'größe'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ minLength: 60, maxLength: 70 }),
)

const time = fc.oneof(fc.maxSafeNat(), fc.nat(), fc.constantFrom(0, 1_700_000_000_000, Number.MAX_SAFE_INTEGER))

/** Any record that can be published. */
export const anyRecord: fc.Arbitrary<BatchedRecord> = fc.record(
  {
    key: fc.option(bytes),
    value: fc.option(bytes),
    time,
    headers: fc.array(fc.record({ key: headerKey, value: bytes }), { maxLength: 4 }),
  },
  { requiredKeys: ['key', 'value', 'time'] },
)

export const anyRecords: fc.Arbitrary<BatchedRecord[]> = fc.array(anyRecord, { minLength: 1, maxLength: 20 })

export function encodeBatch(
  records: readonly BatchedRecord[],
  { compression = 'none', baseOffset = 40n }: { compression?: Compression; baseOffset?: bigint } = {},
): Uint8Array {
  const encoder = new BatchEncoder(0)
  for (const record of records) encoder.append(record)
  return encoder.finish({ baseOffset, compression })
}

/** Records as plain data, for comparing views with copies: bytes as text, missing headers as an empty list. */
export function plain(records: Iterable<BatchedRecord>): unknown[] {
  return Array.from(records, ({ key, value, time, headers = [] }) => ({
    key: base64(key),
    value: base64(value),
    time,
    headers: headers.map((header) => ({ key: header.key, value: base64(header.value) })),
  }))
}

function base64(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
