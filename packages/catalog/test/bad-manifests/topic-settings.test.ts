import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'a key with a typo',
    head,
    `topics:
  - message: Block
    key: hash`,
    'manifest.yaml:6:10: error: Message Block has no field "hash" for the key. Did you mean "Hash"?',
  ],
  [
    'a key that is similar to no field',
    head,
    `topics:
  - message: Block
    key: Block.Zzzzzzzz`,
    'manifest.yaml:6:10: error: Message Block has no field "Block.Zzzzzzzz" for the key. Possible fields: Hash, Number.',
  ],
  [
    'a key that is a list',
    head,
    `topics:
  - message: Block
    key: [Hash]`,
    'manifest.yaml:6:10: error: "key" is a list; it must be a string.',
  ],
  [
    'a key of a type that is not allowed',
    head,
    `topics:
  - message: Block
    key: Size`,
    'manifest.yaml:6:10: error: Field "Size" of Block cannot be the key: it must be one string, bytes or integer. Possible fields: Hash, Number.',
  ],
  [
    'a key that is a repeated field',
    head,
    `topics:
  - message: Block
    key: parts`,
    'manifest.yaml:6:10: error: Field "parts" of Block cannot be the key: it must be one string, bytes or integer. Possible fields: Hash, Number.',
  ],
  [
    'a key without a value',
    head,
    `topics:
  - message: Block
    key:`,
    'manifest.yaml:6:9: error: "key" has no value. Set one, or remove the line.',
  ],
  [
    'a time that is a string field',
    head,
    `topics:
  - message: Block
    time: Hash`,
    'manifest.yaml:6:11: error: Field "Hash" of Block cannot be the time: it must be one google.protobuf.Timestamp, or one int64 of seconds. Possible fields: ts.',
  ],
  [
    'a time that is an unsigned integer field',
    head,
    `topics:
  - message: Block
    time: Number`,
    'manifest.yaml:6:11: error: Field "Number" of Block cannot be the time: it must be one google.protobuf.Timestamp, or one int64 of seconds. Possible fields: ts.',
  ],
  [
    'a time that is not a field',
    head,
    `topics:
  - message: Block
    time: timestamp`,
    'manifest.yaml:6:11: error: Message Block has no field "timestamp" for the time. Possible fields: ts.',
  ],
  [
    'bytes in another case',
    head,
    `topics:
  - message: Block
    bytes: Hex`,
    'manifest.yaml:6:12: error: "bytes" is "Hex"; it must be hex or base64.',
  ],
  [
    'bytes as a number',
    head,
    `topics:
  - message: Block
    bytes: 16`,
    'manifest.yaml:6:12: error: "bytes" is 16 (a number); it must be hex or base64.',
  ],
  [
    'an unknown compression',
    head,
    `topics:
  - message: Block
    compression: brotli`,
    'manifest.yaml:6:18: error: "compression" is "brotli"; it must be none, gzip, snappy, lz4 or zstd.',
  ],
  [
    'several partitions without a key',
    head,
    `topics:
  - message: Block
    partitions: 2`,
    'manifest.yaml:6:17: error: 2 partitions need a "key", which decides the partition of a record. Add one, or remove "partitions".',
  ],
  [
    'zero partitions',
    head,
    `topics:
  - message: Block
    partitions: 0`,
    'manifest.yaml:6:17: error: "partitions" is 0 (a number); it must be a whole number from 1 to 64.',
  ],
  [
    'too many partitions',
    head,
    `topics:
  - message: Block
    partitions: 65
    key: Hash`,
    'manifest.yaml:6:17: error: "partitions" is 65 (a number); it must be a whole number from 1 to 64.',
  ],
  [
    'a fraction of a partition',
    head,
    `topics:
  - message: Block
    partitions: 1.5`,
    'manifest.yaml:6:17: error: "partitions" is 1.5 (a number); it must be a whole number from 1 to 64.',
  ],
  [
    'partitions as a string',
    head,
    `topics:
  - message: Block
    partitions: "2"`,
    'manifest.yaml:6:17: error: "partitions" is "2"; it must be a whole number from 1 to 64.',
  ],
  [
    'retention without a unit',
    head,
    `topics:
  - message: Block
    retention: 30`,
    'manifest.yaml:6:16: error: "retention" is 30 (a number); it must be "forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB).',
  ],
  [
    'retention with a spelled-out unit',
    head,
    `topics:
  - message: Block
    retention: 30 days`,
    'manifest.yaml:6:16: error: "retention" is "30 days"; it must be "forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB).',
  ],
  [
    'retention of zero',
    head,
    `topics:
  - message: Block
    retention: 0d`,
    'manifest.yaml:6:16: error: "retention" is "0d"; it must be "forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB).',
  ],
  [
    'retention in decimal units',
    head,
    `topics:
  - message: Block
    retention: 10GB`,
    'manifest.yaml:6:16: error: "retention" is "10GB"; it must be "forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB).',
  ],
  [
    'a negative retention',
    head,
    `topics:
  - message: Block
    retention: -1d`,
    'manifest.yaml:6:16: error: "retention" is "-1d"; it must be "forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB).',
  ],
  [
    'a field that belongs to another level',
    head,
    `topics:
  - message: Block
    version: 1.0.0`,
    'manifest.yaml:6:5: warning: The field "version" is unknown. Allowed are message, name, key, time, bytes, partitions, retention, compression, when, and your own fields beginning with "x-".',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})
