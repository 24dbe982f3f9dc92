import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer, NoAnswerError, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type FetchArguments, type FetchedPartition, fetchRequest } from '../connection/fetch-request.ts'

/**
 * Fetches what is visible now, for each partition that is asked for.
 *
 * @throws {ThrottledError} the broker has answered for no partition, because this client exceeds a quota. It is counted.
 * @throws {BrokerError} the answer as a whole is an error. The partitions have error codes of their own.
 */
export async function fetchFrom(
  { throttling }: Cluster,
  connection: BrokerConnection,
  request: FetchArguments,
): Promise<readonly FetchedPartition[]> {
  const { throttleMs, errorCode, partitions } = await connection.request(fetchRequest, request)
  checkAnswer(errorCode, 'fetching')
  if (partitions.length > 0) return partitions
  if (throttleMs <= 0) throw new NoAnswerError('the broker answered for no partition')
  throttling.answers++
  throttling.ms += throttleMs
  throw new ThrottledError(throttleMs)
}
