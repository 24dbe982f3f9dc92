import { TopicMismatchError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer } from '../connection/broker-error.ts'
import { type Cluster, forgetLeadersOnFailure } from '../connection/cluster.ts'
import type { Metadata } from '../connection/metadata.ts'
import { type EncoderPool, numberBatch, type OutgoingBatch } from './outgoing-batch.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'

export interface ProducePipelineOptions {
  readonly cluster: Cluster
  readonly protocol: TransactionProtocol
  readonly transaction: OpenTransaction
  readonly checkIdentity: IdentityCheck
  readonly encoders: EncoderPool
}

/** Sends in order, without waiting for the acknowledgement of the previous batches. */
export interface ProducePipeline {
  /** Whether a broker may have received a part of the transaction. */
  readonly begun: boolean
  /**
   * The first error. Nothing is sent after it, and the transaction can only be aborted: a commit would succeed without
   * the batch that failed.
   */
  readonly failure: unknown
  push(batches: readonly OutgoingBatch[]): void
  drained(): Promise<void>
  /** Waits until all requests are acknowledged or have failed. */
  settled(): Promise<void>
}

export function createProducePipeline(options: ProducePipelineOptions): ProducePipeline {
  const { cluster, protocol, transaction, checkIdentity, encoders } = options
  const { bufferBytes, requestsInFlight, requestTimeoutMs } = cluster.settings
  const { transactionalId, session, lane } = transaction
  const addedPartitions = new Set<string>()
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
      const routes = await findRoutes(cluster, { batches, checkIdentity, lane })
      await addPartitions(batches)
      if (failure !== undefined) return
      begun = true
      unsent = []
      for (const route of routes) void send(route)
    } catch (error) {
      failure ??= error
    } finally {
      for (const { encoder } of batches) encoders.release(encoder)
      finished(unsent)
    }
  }

  async function addPartitions(batches: readonly OutgoingBatch[]): Promise<void> {
    if (!protocol.addPartitions) return
    const added = batches.filter(({ topic, partition }) => !addedPartitions.has(`${topic}/${partition}`))
    if (added.length === 0) return
    begun = true
    await protocol.addPartitions(cluster, transaction, added)
    for (const { topic, partition } of added) addedPartitions.add(`${topic}/${partition}`)
  }

  async function send({ connection, batches }: Route): Promise<void> {
    unanswered++
    try {
      await forgetLeadersOnFailure(cluster, batches, async () => {
        const numbered = batches.map((batch) => numberBatch(batch, { session, transactional: true }))
        const request = { transactionalId, timeoutMs: requestTimeoutMs, batches: numbered }
        const answer = await connection.request(protocol.produceRequest, request)
        for (const { topic, partition, errorCode, errorMessage } of answer.partitions) {
          const context = { request: 'Produce', topic, transactionalId } as const
          checkAnswer(errorCode, `producing to "${topic}" partition ${partition}`, context, errorMessage)
        }
      })
    } catch (error) {
      failure ??= error
    } finally {
      unanswered--
      finished(batches)
    }
  }

  function finished(batches: readonly OutgoingBatch[]): void {
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

interface Route {
  readonly connection: BrokerConnection
  readonly batches: readonly OutgoingBatch[]
}

/** Nothing is sent yet, so this can be retried. */
function findRoutes(
  cluster: Cluster,
  { batches, checkIdentity, lane }: { batches: readonly OutgoingBatch[]; checkIdentity: IdentityCheck; lane: string },
): Promise<Route[]> {
  return cluster.retry('producing', () =>
    forgetLeadersOnFailure(cluster, batches, async () => {
      const byLeader = [...(await groupByLeader(cluster, batches))]
      for (const { topic } of batches) checkIdentity(topic)
      return Promise.all(
        byLeader.map(async ([leader, batches]) => {
          const connection = await cluster.connections.to(cluster.metadata.address(leader), lane)
          return { connection, batches }
        }),
      )
    }),
  )
}

async function groupByLeader(
  { metadata }: Cluster,
  batches: readonly OutgoingBatch[],
): Promise<Map<number, OutgoingBatch[]>> {
  const groups = new Map<number, OutgoingBatch[]>()
  for (const batch of batches) {
    const { node } = await metadata.leader(batch.topic, batch.partition)
    const group = groups.get(node)
    if (group) group.push(batch)
    else groups.set(node, [batch])
  }
  return groups
}

export type IdentityCheck = (topic: string) => void

/**
 * Throws `TopicMismatchError` if a topic was created again while a writer is open (KIP-516): continuing in it would
 * leave a gap in the sequence of records.
 */
export function createIdentityCheck(metadata: Metadata): IdentityCheck {
  const ids = new Map<string, string>()
  return (topic) => {
    const id = metadata.topicId(topic)
    if (id === undefined) return
    const before = ids.get(topic) ?? id
    ids.set(topic, before)
    if (id === before) return
    throw new TopicMismatchError(topic, 'it was deleted and created again while this run wrote to it', {
      remedy: 'Start the run again.',
    })
  }
}
