import type { TopicPartition } from '../../../queue.ts'
import type { BrokerConnection } from '../../connection/broker-connection.ts'
import type { Cluster } from '../../connection/cluster.ts'
import type { ProduceRequest } from '../../connection/produce-request.ts'
import type { ProducerSession } from '../producer-session.ts'

/**
 * What differs between the two transaction protocols of Kafka. All else is the same under both: a writer opens a session,
 * produces batches, and ends its transaction with the identical EndTxn until the coordinator says twice that it has.
 */
export interface TransactionProtocol {
  /** As Kafka's documents call it. */
  readonly name: 'TV1' | 'TV2'

  /** Carries batches to the leader of their partitions. */
  readonly produceRequest: ProduceRequest

  /**
   * Makes partitions part of the transaction, before a batch goes to them. The same partitions may be joined again.
   * `null`: the leader does it when the first batch comes.
   */
  readonly join:
    | ((cluster: Cluster, transaction: OpenTransaction, partitions: readonly TopicPartition[]) => Promise<void>)
    | null

  /** Asks the coordinator to commit or abort, once. */
  end(connection: BrokerConnection, transaction: OpenTransaction, committed: boolean): Promise<EndAnswer>

  /**
   * Whether a Produce or EndTxn of one transaction can still act on the next when it comes late. Then a request without
   * an answer demands a session opened anew before the next transaction.
   */
  readonly lateRequestsAct: boolean
}

export interface OpenTransaction {
  readonly transactionalId: string
  readonly session: ProducerSession
  /** Lane of the writer's connections. */
  readonly lane: string
}

export interface EndAnswer {
  readonly errorCode: number
  /** The session of the next transaction. Meaningless beside an error. */
  readonly next: ProducerSession
}
