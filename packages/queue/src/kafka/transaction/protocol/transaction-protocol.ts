import type { TopicPartition } from '../../../queue.ts'
import type { BrokerConnection } from '../../connection/broker-connection.ts'
import type { Cluster } from '../../connection/cluster.ts'
import type { ProduceRequest } from '../../connection/produce-request.ts'
import type { ProducerSession } from '../producer-session.ts'

export interface TransactionProtocol {
  readonly name: 'TV1' | 'TV2'

  readonly produceRequest: ProduceRequest

  /** Adds partitions before their first batch. May be repeated. `null`: the leader does it with the first batch. */
  readonly addPartitions:
    | ((cluster: Cluster, transaction: OpenTransaction, partitions: readonly TopicPartition[]) => Promise<void>)
    | null

  end(connection: BrokerConnection, transaction: OpenTransaction, committed: boolean): Promise<EndAnswer>

  /** A late Produce or EndTxn acts on the next transaction. So a request without an answer needs a new session. */
  readonly lateRequestsAct: boolean
}

export interface OpenTransaction {
  readonly protocol: TransactionProtocol
  readonly transactionalId: string
  readonly session: ProducerSession
  readonly lane: string
}

export interface EndAnswer {
  readonly errorCode: number
  /** Meaningless with an error code. */
  readonly next: ProducerSession
}
