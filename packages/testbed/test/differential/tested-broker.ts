import type { BrokerConnection } from '../../../queue/src/kafka/connection/broker-connection.ts'

/** The only broker of a cluster, real or simulated. */
export interface TestedBroker {
  readonly request: BrokerConnection['request']
  /** Waits for some time, in ms. */
  wait(ms: number): Promise<void>
  /** Resolves when the coordinator has completed all work for a transactional id. */
  settled(transactionalId: string): Promise<void>
  /** As `settled`, after the open transaction has timed out. */
  timedOut(transactionalId: string): Promise<void>
  /** Deletes the topics of a script, and closes the connection. */
  close(topics: readonly string[]): Promise<void>
}
