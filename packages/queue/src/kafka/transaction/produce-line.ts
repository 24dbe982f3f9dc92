import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { forgettingLeaders, groupByLeader } from '../connection/leaders.ts'
import { produceRequest } from '../connection/produce-request.ts'
import type { OutboxOptions } from './outbox.ts'

export interface OutgoingBatch {
  readonly topic: string
  readonly partition: number
  readonly bytes: Uint8Array
  /** Whose memory the bytes are; free again when they are written to the socket. */
  readonly encoder: BatchEncoder
}

/** Groups of batches that go out in order, without waiting for answers in between. */
export interface ProduceLine {
  /** Whether a request has been written. */
  readonly sent: boolean
  /**
   * What went wrong first. Nothing leaves after it, and the transaction can only be aborted: a commit would be answered
   * OK without the batch that was refused.
   */
  readonly failure: unknown
  push(batches: readonly OutgoingBatch[]): void
  /** Resolves when all requests are answered or given up. */
  settled(): Promise<void>
}

export function createProduceLine({ cluster, transactionalId, lane, encoders }: OutboxOptions): ProduceLine {
  let tail = Promise.resolve()
  let failure: unknown
  const answers: Promise<void>[] = []

  async function dispatch(batches: readonly OutgoingBatch[]): Promise<void> {
    try {
      if (failure !== undefined) return
      for (const { connection, group } of await routes(cluster, batches, lane)) answers.push(send(connection, group))
    } catch (error) {
      failure ??= error
    } finally {
      for (const { encoder } of batches) encoders.give(encoder)
    }
  }

  async function send(connection: BrokerConnection, batches: readonly OutgoingBatch[]): Promise<void> {
    const timeoutMs = cluster.settings.requestTimeoutMs
    try {
      await forgettingLeaders(cluster, batches, async () => {
        const answer = await connection.request(produceRequest, { transactionalId, timeoutMs, batches })
        for (const { topic, partition, errorCode, errorMessage } of answer.partitions) {
          checkAnswer(errorCode, `producing to "${topic}" partition ${partition}`, errorMessage)
        }
      })
    } catch (error) {
      failure ??= error
    }
  }

  return {
    get sent() {
      return answers.length > 0
    },
    get failure() {
      return failure
    },
    push(batches) {
      tail = tail.then(() => dispatch(batches))
    },
    async settled() {
      await tail
      await Promise.all(answers)
    },
  }
}

/** Connections to the leaders. Nothing is sent yet, so that this can be tried again. */
function routes(
  cluster: Cluster,
  batches: readonly OutgoingBatch[],
  lane: string,
): Promise<{ connection: BrokerConnection; group: OutgoingBatch[] }[]> {
  return cluster.retry('producing', () =>
    forgettingLeaders(cluster, batches, async () => {
      const groups = [...(await groupByLeader(cluster, batches))]
      return Promise.all(
        groups.map(async ([leader, group]) => {
          const connection = await cluster.connections.to(cluster.metadata.address(leader), lane)
          return { connection, group }
        }),
      )
    }),
  )
}
