import type { RecordBatch } from '../../record-batch/record-batch.ts'
import { BrokerError, brokerErrorCodes, isTransient } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { fetchRequest } from '../connection/fetch-request.ts'
import { whilePolling } from '../connection/long-poll.ts'
import { committedRead } from './committed-read.ts'
import { explainOutOfRange } from './position-lost.ts'

/** A partition that is followed; its offset moves on with what is read. */
export interface FollowedPartition {
  readonly topic: string
  readonly partition: number
  offset: bigint
}

export interface LeaderAnswer {
  readonly batches: readonly RecordBatch[]
  /** A transient failure, after which the loop has ended. */
  readonly failure?: unknown
}

/**
 * Follows partitions that one broker leads until the signal is aborted or something fails. Yields every answer, also
 * those without anything visible: they tell that the broker is there.
 */
export async function* followLeader(
  cluster: Cluster,
  { leader, places, signal }: { leader: number; places: readonly FollowedPartition[]; signal: AbortSignal },
): AsyncGenerator<LeaderAnswer> {
  const waiting = [...places]
  while (!signal.aborted) {
    const { batches, failure } = await poll(cluster, { leader, waiting, signal })
    if (signal.aborted && failure !== undefined) return
    if (failure === undefined || batches.length > 0) yield { batches }
    if (failure !== undefined) {
      if (!isTransient(failure)) throw failure
      yield { batches: [], failure }
      return
    }
    // An answer is filled from the first partition on: each comes first in turn.
    waiting.push(waiting.shift()!)
  }
}

/** What became visible, and what went wrong with the whole or, while others were read, with one partition. */
async function poll(
  cluster: Cluster,
  { leader, waiting, signal }: { leader: number; waiting: readonly FollowedPartition[]; signal: AbortSignal },
): Promise<LeaderAnswer> {
  const request = { maxWaitMs: longestPollMs, maxBytes: maxAnswerBytes, partitions: waiting }
  const batches: RecordBatch[] = []
  let failure: unknown
  try {
    const answer = await whilePolling(cluster, cluster.metadata.address(leader), signal, (connection) =>
      connection.request(fetchRequest, request),
    )
    for (const fetched of answer) {
      const place = waiting.find(({ topic, partition }) => topic === fetched.topic && partition === fetched.partition)!
      if (fetched.errorCode === brokerErrorCodes.NONE) {
        const visible = committedRead(fetched, place)
        place.offset = visible.next
        batches.push(...visible.batches)
      } else if (fetched.errorCode === brokerErrorCodes.OFFSET_OUT_OF_RANGE) {
        failure = await explainOutOfRange(cluster, place)
      } else {
        failure = new BrokerError(fetched.errorCode, `following "${place.topic}" partition ${place.partition}`)
      }
    }
  } catch (error) {
    failure = error
  }
  return { batches, failure }
}

const longestPollMs = 5_000
const maxAnswerBytes = 1024 * 1024
