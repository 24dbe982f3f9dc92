import { type API, createAPI, type Reader, Writer } from '@platformatic/kafka'

export interface FetchArguments {
  readonly maxWaitMs: number
  /** Filled from the first partition on. The broker sends at least one batch if there is one. */
  readonly maxBytes: number
  readonly partitions: readonly FetchPlace[]
}

export interface FetchPlace {
  /** A topic that is created again has another id (KIP-516). */
  readonly topicId: string
  readonly partition: number
  readonly offset: bigint
  /** The leader answers only in this term (KIP-320). Default −1: in any. */
  readonly leaderEpoch?: number
  /** Leader epoch of the batch before `offset`, to detect truncation (KIP-595). Default −1: unknown. */
  readonly lastEpoch?: number
}

export interface FetchAnswer {
  /** In ms (KIP-219). */
  readonly throttleMs: number
  readonly errorCode: number
  readonly partitions: readonly FetchedPartition[]
}

export interface FetchedPartition {
  readonly topicId: string
  readonly partition: number
  readonly errorCode: number
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  readonly abortedTransactions: readonly AbortedTransaction[]
  /** The leader's log was truncated after `lastEpoch`. No records are sent (KIP-595). */
  readonly diverges: boolean
  /** Consecutive batches as stored. The last one may be incomplete. */
  readonly bytes: Uint8Array
}

/** The producer's data from `firstOffset` to its next abort marker is aborted. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

function encode({ maxWaitMs, maxBytes, partitions }: FetchArguments): Writer {
  return Writer.create()
    .appendInt32(-1) // replica_id: a consumer
    .appendInt32(maxWaitMs)
    .appendInt32(1) // min_bytes
    .appendInt32(maxBytes)
    .appendInt8(1) // isolation_level: read_committed
    .appendInt32(0) // session_id
    .appendInt32(-1) // session_epoch: no session
    .appendArray([...partitions], (writer, { topicId, partition, offset, leaderEpoch = -1, lastEpoch = -1 }) => {
      writer.appendUUID(topicId).appendArray([partition], (writer, partition) => {
        writer
          .appendInt32(partition)
          .appendInt32(leaderEpoch)
          .appendInt64(offset)
          .appendInt32(lastEpoch)
          .appendInt64(-1n) // log_start_offset, of followers
          .appendInt32(maxBytes)
      })
    })
    .appendArray([], () => {}) // forgotten_topics_data
    .appendString('') // rack_id
    .appendTaggedFields()
}

function decode(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): FetchAnswer {
  const partitions: FetchedPartition[] = []
  const throttleMs = reader.readInt32()
  const errorCode = reader.readInt16()
  reader.readInt32() // session_id
  reader.readArray((reader) => {
    const topicId = reader.readUUID()
    reader.readArray(
      (reader) => {
        const partition = reader.readInt32()
        const errorCode = reader.readInt16()
        const highWatermark = reader.readInt64()
        const lastStableOffset = reader.readInt64()
        reader.readInt64() // log_start_offset
        const abortedTransactions = reader.readArray((reader) => ({
          producerId: reader.readInt64(),
          firstOffset: reader.readInt64(),
        }))
        reader.readInt32() // preferred_read_replica
        const bytes = reader.readBytes()
        const diverges = hasTag(reader, divergingEpochTag)
        const offsets = { highWatermark, lastStableOffset }
        partitions.push({ topicId, partition, errorCode, ...offsets, abortedTransactions, diverges, bytes })
      },
      true,
      false,
    )
  })
  return { throttleMs, errorCode, partitions }
}

function hasTag(reader: Reader, tag: number): boolean {
  let found = false
  for (let left = reader.readUnsignedVarInt(); left > 0; left--) {
    if (reader.readUnsignedVarInt() === tag) found = true
    reader.skip(reader.readUnsignedVarInt())
  }
  return found
}

const divergingEpochTag = 0

/** Up to the last stable offset, with a list of aborted transactions. */
export const fetchRequest: API<[FetchArguments], FetchAnswer> = createAPI(1, 13, encode, decode)
