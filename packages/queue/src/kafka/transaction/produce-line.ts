import { checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { forgettingLeaders } from '../connection/leaders.ts'
import type { EncoderPool } from './encoder-pool.ts'
import { numberBatch, type OutgoingBatch } from './outgoing-batch.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'
import { findRoutes, type Route } from './routes.ts'
import type { TopicIdentity } from './topic-identity.ts'

export interface ProduceLineOptions {
  readonly cluster: Cluster
  readonly protocol: TransactionProtocol
  readonly transaction: OpenTransaction
  readonly identity: TopicIdentity
  readonly encoders: EncoderPool
}

/** Groups of batches that go out in order, without waiting for each other's answers. */
export interface ProduceLine {
  /** Whether the brokers may have heard of the transaction. */
  readonly begun: boolean
  /**
   * What went wrong first. Nothing leaves after it, and the transaction can only be aborted: a commit would be answered
   * OK without the batch that was refused.
   */
  readonly failure: unknown
  /** At most one batch for a partition. */
  push(batches: readonly OutgoingBatch[]): void
  /** Resolves when few enough bytes are waiting to leave or to be answered. */
  drained(): Promise<void>
  /** Resolves when all requests are answered or given up. */
  settled(): Promise<void>
}

export function createProduceLine(options: ProduceLineOptions): ProduceLine {
  const { cluster, protocol, transaction, identity, encoders } = options
  const { bufferBytes, requestsInFlight, requestTimeoutMs } = cluster.settings
  const { transactionalId, session, lane } = transaction
  const joined = new Set<string>()
  let tail = Promise.resolve()
  let begun = false
  let failure: unknown
  let unanswered = 0
  let waitingBytes = 0
  let progress = Promise.withResolvers<void>()

  async function dispatch(batches: readonly OutgoingBatch[]): Promise<void> {
    let unsent = batches
    try {
      for (const { compressed } of batches) if (compressed) await compressed
      while (unanswered >= requestsInFlight) await progress.promise
      if (failure !== undefined) return
      const routes = await findRoutes(cluster, { batches, identity, lane })
      await join(batches)
      if (failure !== undefined) return
      begun = true
      unsent = []
      for (const route of routes) void send(route)
    } catch (error) {
      failure ??= error
    } finally {
      for (const { encoder } of batches) encoders.give(encoder)
      leave(unsent)
    }
  }

  async function join(batches: readonly OutgoingBatch[]): Promise<void> {
    if (!protocol.join) return
    const news = batches.filter(({ topic, partition }) => !joined.has(`${topic}/${partition}`))
    if (news.length === 0) return
    begun = true
    await protocol.join(cluster, transaction, news)
    for (const { topic, partition } of news) joined.add(`${topic}/${partition}`)
  }

  async function send({ connection, batches }: Route): Promise<void> {
    unanswered++
    try {
      await forgettingLeaders(cluster, batches, async () => {
        const numbered = batches.map((batch) => numberBatch(batch, { session, transactional: true }))
        const request = { transactionalId, timeoutMs: requestTimeoutMs, batches: numbered }
        const answer = await connection.request(protocol.produceRequest, request)
        for (const { topic, partition, errorCode, errorMessage } of answer.partitions) {
          const asked = { request: 'Produce', topic, transactionalId } as const
          checkAnswer(errorCode, `producing to "${topic}" partition ${partition}`, asked, errorMessage)
        }
      })
    } catch (error) {
      failure ??= error
    } finally {
      unanswered--
      leave(batches)
    }
  }

  function leave(batches: readonly OutgoingBatch[]): void {
    for (const { size } of batches) waitingBytes -= size
    progress.resolve()
    progress = Promise.withResolvers()
  }

  return {
    get begun() {
      return begun
    },
    get failure() {
      return failure
    },
    push(batches) {
      for (const { size } of batches) waitingBytes += size
      tail = tail.then(() => dispatch(batches))
    },
    async drained() {
      while (waitingBytes >= bufferBytes) await progress.promise
    },
    async settled() {
      await tail
      while (unanswered > 0) await progress.promise
    },
  }
}
