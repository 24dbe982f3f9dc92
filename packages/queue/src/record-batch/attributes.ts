/** How the records of a batch may be compressed, in the order of Kafka's `CompressionType` ids. */
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

export type Codec = (typeof codecs)[number]

const codecMask = 0x07
const logAppendTimeBit = 0x08
const transactionalBit = 0x10
const controlBit = 0x20

export function encodeAttributes(codec: Codec, transactional: boolean): number {
  return codecs.indexOf(codec) | (transactional ? transactionalBit : 0)
}

/** The codec of a batch, or `undefined` where its id is none that Kafka defines. */
export function codecOf(attributes: number): Codec | undefined {
  return codecs[attributes & codecMask]
}

export function isTransactional(attributes: number): boolean {
  return (attributes & transactionalBit) !== 0
}

/** A control batch holds a transaction marker, no data. */
export function isControl(attributes: number): boolean {
  return (attributes & controlBit) !== 0
}

/** The broker set the time of all records to the batch's highest (`message.timestamp.type=LogAppendTime`). */
export function hasLogAppendTime(attributes: number): boolean {
  return (attributes & logAppendTimeBit) !== 0
}
