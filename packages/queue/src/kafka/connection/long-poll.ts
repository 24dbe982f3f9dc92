import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import type { Cluster } from './cluster.ts'

/**
 * Runs requests that wait inside the broker on a connection of their own. When the signal is aborted that connection is
 * closed, so that the broker stops waiting too, and the signal's reason is thrown.
 */
export async function whilePolling<T>(
  cluster: Cluster,
  broker: BrokerAddress,
  signal: AbortSignal | undefined,
  use: (connection: BrokerConnection) => Promise<T>,
): Promise<T> {
  const { connection, release } = await cluster.connections.borrow(broker)
  const onAbort = (): void => connection.close()
  signal?.addEventListener('abort', onAbort)
  try {
    signal?.throwIfAborted()
    return await use(connection)
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    release()
  }
}
