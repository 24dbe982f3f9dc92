/**
 * Where the fields of a record batch v2 lie, in bytes from its beginning. All are big-endian.
 *
 * From Kafka's `DefaultRecordBatch`. `length` counts what follows it, and the checksum covers what lies after itself.
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

/** Bytes of a batch that its `length` does not count. */
export const uncountedBytes: number = batchLayout.leaderEpoch

export const batchMagic = 2
