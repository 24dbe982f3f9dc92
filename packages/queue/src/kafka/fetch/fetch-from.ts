import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer, NoAnswerError, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type FetchArguments, type FetchedPartition, fetchRequest } from '../connection/fetch-request.ts'

/**
 * Each partition of the answer has its own error code.
 *
 * @throws {ThrottledError} the broker sent no partition.
 * @throws {BrokerError} the whole answer is an error.
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

/**
 * Waits in the broker. An abort closes the connection, so that the broker stops waiting, and throws the signal's
 * reason.
 */
export async function longPoll(
  cluster: Cluster,
  broker: BrokerAddress,
  request: FetchArguments,
  signal: AbortSignal | undefined,
): Promise<readonly FetchedPartition[]> {
  const { connection, release } = await cluster.connections.borrow(broker)
  const onAbort = (): void => connection.close()
  signal?.addEventListener('abort', onAbort)
  try {
    signal?.throwIfAborted()
    return await fetchFrom(cluster, connection, request)
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    release()
  }
}
