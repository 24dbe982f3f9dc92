import { type API, createAPI, type Reader, Writer } from '@platformatic/kafka'

export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

export interface ElectionResult {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
}

/*
  ElectLeaders Request (Version: 2) => election_type [topic_partitions] timeout_ms TAG_BUFFER
    election_type => INT8
    topic_partitions => topic [partitions] TAG_BUFFER
      topic => COMPACT_STRING
      partitions => INT32
    timeout_ms => INT32
*/
function encode(topics: readonly TopicPartitions[], timeoutMs: number): Writer {
  return Writer.create()
    .appendInt8(preferredElection)
    .appendArray([...topics], (writer, { topic, partitions }) => {
      writer
        .appendString(topic)
        .appendArray([...partitions], (writer, partition) => writer.appendInt32(partition), true, false)
    })
    .appendInt32(timeoutMs)
    .appendTaggedFields()
}

const preferredElection = 0

/*
  ElectLeaders Response (Version: 2) => throttle_time_ms error_code [replica_election_results] TAG_BUFFER
    throttle_time_ms => INT32
    error_code => INT16
    replica_election_results => topic [partition_result] TAG_BUFFER
      topic => COMPACT_STRING
      partition_result => partition_id error_code error_message TAG_BUFFER
        partition_id => INT32
        error_code => INT16
        error_message => COMPACT_NULLABLE_STRING
*/
function decode(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): ElectionResult[] {
  reader.readInt32()
  const errorCode = reader.readInt16()
  if (errorCode !== 0) throw new Error(`ElectLeaders was answered with error ${errorCode}.`)
  return reader
    .readArray((reader) => {
      const topic = reader.readString()
      return reader.readArray((reader) => {
        const partition = reader.readInt32()
        const errorCode = reader.readInt16()
        reader.readNullableString()
        return { topic, partition, errorCode }
      })
    })
    .flat()
}

/** Makes the first replica of each partition its leader if it is in sync (KIP-460). */
export const electLeadersRequest: API<[readonly TopicPartitions[], number], ElectionResult[]> = createAPI(
  43,
  2,
  encode,
  decode,
)
