import { addAbortListener } from 'node:events'
import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer, NoAnswerError, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type FetchArguments, type FetchedPartition, fetchRequest } from '../connection/fetch-request.ts'

/** Throws `ThrottledError`, or `BrokerError` for the whole answer. Each partition has its own error code, too. */
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

/** Waits in the broker. An abort closes the connection, so that the broker stops waiting, and throws its reason. */
export async function longPoll(
  cluster: Cluster,
  broker: BrokerAddress,
  request: FetchArguments,
  signal: AbortSignal | undefined,
): Promise<readonly FetchedPartition[]> {
  const { connection, release } = await cluster.connections.borrow(broker)
  try {
    signal?.throwIfAborted()
    using _listener = signal && addAbortListener(signal, () => connection.close())
    return await fetchFrom(cluster, connection, request)
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    release()
  }
}
