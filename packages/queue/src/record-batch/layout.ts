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
export const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

export type Codec = (typeof codecs)[number]

const codecMask = 0x07

export const attributeBits = {
  /** `maxTime` is the time of all records (`message.timestamp.type=LogAppendTime`). */
  logAppendTime: 0x08,
  transactional: 0x10,
  /** A transaction marker instead of data. */
  control: 0x20,
} as const

export function encodeAttributes(codec: Codec, transactional: boolean): number {
  return codecs.indexOf(codec) | (transactional ? attributeBits.transactional : 0)
}

/** `undefined` for an id that Kafka does not define. */
export function codecOf(attributes: number): Codec | undefined {
  return codecs[attributes & codecMask]
}
