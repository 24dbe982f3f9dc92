import type { BrokerConnection } from '../../../queue/src/kafka/connection/broker-connection.ts'

/** The broker of a cluster of one, real or simulated. */
export interface TestedBroker {
  readonly request: BrokerConnection['request']
  /** Resolves after so long. */
  wait(ms: number): Promise<void>
  /** Resolves when the coordinator has nothing to do for a transactional id any more. */
  settled(transactionalId: string): Promise<void>
  /** As `settled`, once the open transaction has timed out. */
  timedOut(transactionalId: string): Promise<void>
  /** Deletes the topics of a script, and closes the connection. */
  close(topics: readonly string[]): Promise<void>
}
