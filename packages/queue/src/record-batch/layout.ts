/**
 * Byte offsets in a record batch v2, as in Kafka's `DefaultRecordBatch`. All fields are big-endian. `length` counts the
 * bytes after it, and `checksum` covers the bytes after itself.
 */
export const batchLayout = {
  baseOffset: 0,
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  checksum: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTime: 27,
  maxTime: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
  records: 61,
} as const

export const uncountedBytes: number = batchLayout.leaderEpoch

export const batchMagic = 2

/** In the order of Kafka's `CompressionType` ids. */
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

export type Codec = (typeof codecs)[number]

const codecMask = 0x07
const logAppendTimeBit = 0x08
const transactionalBit = 0x10
const controlBit = 0x20

export function encodeAttributes(codec: Codec, transactional: boolean): number {
  return codecs.indexOf(codec) | (transactional ? transactionalBit : 0)
}

/** `undefined` for an id that Kafka does not define. */
export function codecOf(attributes: number): Codec | undefined {
  return codecs[attributes & codecMask]
}

export function isTransactional(attributes: number): boolean {
  return (attributes & transactionalBit) !== 0
}

/** Whether the batch is a transaction marker instead of data. */
export function isControl(attributes: number): boolean {
  return (attributes & controlBit) !== 0
}

/** Whether `maxTime` is the time of all records (`message.timestamp.type=LogAppendTime`). */
export function hasLogAppendTime(attributes: number): boolean {
  return (attributes & logAppendTimeBit) !== 0
}
