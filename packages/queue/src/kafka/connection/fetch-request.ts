import { type API, createAPI, type Reader, Writer } from '@platformatic/kafka'

export interface FetchArguments {
  readonly maxWaitMs: number
  /** For all partitions together, filled from the first on. The broker sends at least one batch if there is one. */
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
  /** Leader epoch of the batch before `offset`, for detecting truncation (KIP-595). Default −1: unknown. */
  readonly lastEpoch?: number
}

export interface FetchAnswer {
  /** How long the broker throttles this client, in ms (KIP-219). */
  readonly throttleMs: number
  readonly errorCode: number
  /** Empty while the client is throttled. */
  readonly partitions: readonly FetchedPartition[]
}

export interface FetchedPartition {
  readonly topicId: string
  readonly partition: number
  readonly errorCode: number
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  readonly abortedTransactions: readonly AbortedTransaction[]
  /** The leader's log was truncated: it differs from what was read up to `lastEpoch`. No records are sent (KIP-595). */
  readonly diverges: boolean
  /** Consecutive batches as stored. The last one may be incomplete. */
  readonly bytes: Uint8Array
}

/** The producer's data from `firstOffset` to its next abort marker is aborted. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

/*
  Fetch Request (Version: 13) => replica_id max_wait_ms min_bytes max_bytes isolation_level session_id session_epoch
                                 [topics] [forgotten_topics_data] rack_id TAG_BUFFER
    replica_id => INT32
    max_wait_ms => INT32
    min_bytes => INT32
    max_bytes => INT32
    isolation_level => INT8
    session_id => INT32
    session_epoch => INT32
    topics => topic_id [partitions] TAG_BUFFER
      topic_id => UUID
      partitions => partition current_leader_epoch fetch_offset last_fetched_epoch log_start_offset
                    partition_max_bytes TAG_BUFFER
        partition => INT32
        current_leader_epoch => INT32
        fetch_offset => INT64
        last_fetched_epoch => INT32
        log_start_offset => INT64
        partition_max_bytes => INT32
    forgotten_topics_data => topic_id [partitions] TAG_BUFFER
    rack_id => COMPACT_STRING
*/
function encode({ maxWaitMs, maxBytes, partitions }: FetchArguments): Writer {
  return Writer.create()
    .appendInt32(-1)
    .appendInt32(maxWaitMs)
    .appendInt32(1)
    .appendInt32(maxBytes)
    .appendInt8(readCommitted)
    .appendInt32(0)
    .appendInt32(-1)
    .appendArray([...partitions], (writer, { topicId, partition, offset, leaderEpoch = -1, lastEpoch = -1 }) => {
      writer.appendUUID(topicId).appendArray([partition], (writer, partition) => {
        writer
          .appendInt32(partition)
          .appendInt32(leaderEpoch)
          .appendInt64(offset)
          .appendInt32(lastEpoch)
          .appendInt64(-1n)
          .appendInt32(maxBytes)
      })
    })
    .appendArray([], () => {})
    .appendString('')
    .appendTaggedFields()
}

const readCommitted = 1

/*
  Fetch Response (Version: 13) => throttle_time_ms error_code session_id [responses] TAG_BUFFER
    throttle_time_ms => INT32
    error_code => INT16
    session_id => INT32
    responses => topic_id [partitions] TAG_BUFFER
      topic_id => UUID
      partitions => partition_index error_code high_watermark last_stable_offset log_start_offset
                    [aborted_transactions] preferred_read_replica records TAG_BUFFER<diverging_epoch = 0>
        partition_index => INT32
        error_code => INT16
        high_watermark => INT64
        last_stable_offset => INT64
        log_start_offset => INT64
        aborted_transactions => producer_id first_offset TAG_BUFFER
          producer_id => INT64
          first_offset => INT64
        preferred_read_replica => INT32
        records => COMPACT_RECORDS
*/
function decode(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): FetchAnswer {
  const partitions: FetchedPartition[] = []
  const throttleMs = reader.readInt32()
  const errorCode = reader.readInt16()
  reader.readInt32()
  reader.readArray((reader) => {
    const topicId = reader.readUUID()
    reader.readArray(
      (reader) => {
        const partition = reader.readInt32()
        const errorCode = reader.readInt16()
        const highWatermark = reader.readInt64()
        const lastStableOffset = reader.readInt64()
        reader.readInt64()
        const abortedTransactions = reader.readArray((reader) => ({
          producerId: reader.readInt64(),
          firstOffset: reader.readInt64(),
        }))
        reader.readInt32()
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

/** With `isolation.level=read_committed`: up to the last stable offset, with a list of aborted transactions. */
export const fetchRequest: API<[FetchArguments], FetchAnswer> = createAPI(1, 13, encode, decode)
