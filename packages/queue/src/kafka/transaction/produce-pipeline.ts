import { TopicMismatchError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer } from '../connection/broker-error.ts'
import { type Cluster, forgetLeadersOnFailure } from '../connection/cluster.ts'
import type { Metadata } from '../connection/metadata.ts'
import { type EncoderPool, numberBatch, type OutgoingBatch } from './outgoing-batch.ts'
import type { OpenTransaction } from './protocol/transaction-protocol.ts'

export interface ProducePipelineOptions {
  readonly cluster: Cluster
  readonly transaction: OpenTransaction
  readonly checkIdentity: IdentityCheck
  readonly encoders: EncoderPool
}

/** Sends in order, without waiting for the acknowledgement of the previous batches. */
export interface ProducePipeline {
  /** Whether a broker may have received a part of the transaction. */
  readonly begun: boolean
  /** The first error. Nothing is sent after it. A commit would succeed without the batch that failed. */
  readonly failure: unknown
  push(batches: readonly OutgoingBatch[]): void
  drained(): Promise<void>
  /** Waits until all requests are acknowledged or have failed. */
  settled(): Promise<void>
}

export function createProducePipeline(options: ProducePipelineOptions): ProducePipeline {
  const { cluster, transaction, encoders } = options
  const { bufferBytes, requestsInFlight, requestTimeoutMs } = cluster.settings
  const { protocol, transactionalId, session } = transaction
  const addedPartitions = new Set<string>()
  let tail = Promise.resolve()
  let unanswered = 0
  let waitingBytes = 0
  let progress = Promise.withResolvers<void>()

  const pipeline = {
    begun: false,
    failure: undefined as unknown,
    push(batches: readonly OutgoingBatch[]): void {
      for (const { size } of batches) waitingBytes += size
      tail = tail.then(() => dispatch(batches))
    },
    async drained(): Promise<void> {
      while (waitingBytes >= bufferBytes) await progress.promise
    },
    async settled(): Promise<void> {
      await tail
      while (unanswered > 0) await progress.promise
    },
  }
  return pipeline

  async function dispatch(batches: readonly OutgoingBatch[]): Promise<void> {
    let unsent = batches
    try {
      for (const { compressed } of batches) if (compressed) await compressed
      while (unanswered >= requestsInFlight) await progress.promise
      if (pipeline.failure !== undefined) return
      const routes = await findRoutes(options, batches)
      await addPartitions(batches)
      if (pipeline.failure !== undefined) return
      pipeline.begun = true
      unsent = []
      for (const route of routes) void send(route)
    } catch (error) {
      pipeline.failure ??= error
    } finally {
      for (const { encoder } of batches) encoders.release(encoder)
      finished(unsent)
    }
  }

  async function addPartitions(batches: readonly OutgoingBatch[]): Promise<void> {
    if (!protocol.addPartitions) return
    const added = batches.filter(({ topic, partition }) => !addedPartitions.has(`${topic}/${partition}`))
    if (added.length === 0) return
    pipeline.begun = true
    await protocol.addPartitions(cluster, transaction, added)
    for (const { topic, partition } of added) addedPartitions.add(`${topic}/${partition}`)
  }

  async function send({ connection, batches }: Route): Promise<void> {
    unanswered++
    try {
      await forgetLeadersOnFailure(cluster.metadata, batches, async () => {
        const numbered = batches.map((batch) => numberBatch(batch, { session, transactional: true }))
        const request = { transactionalId, timeoutMs: requestTimeoutMs, batches: numbered }
        const answer = await connection.request(protocol.produceRequest, request)
        for (const { topic, partition, errorCode, errorMessage } of answer.partitions) {
          const context = { request: 'Produce', topic, transactionalId } as const
          checkAnswer(errorCode, `producing to "${topic}" partition ${partition}`, context, errorMessage)
        }
      })
    } catch (error) {
      pipeline.failure ??= error
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
}

/** Batches of one leader. */
interface Route {
  readonly connection: BrokerConnection
  readonly batches: readonly OutgoingBatch[]
}

/** Nothing is sent yet, so this can be retried. */
function findRoutes(
  { cluster, checkIdentity, transaction }: ProducePipelineOptions,
  batches: readonly OutgoingBatch[],
): Promise<Route[]> {
  const { metadata, connections } = cluster
  return cluster.retry('producing', () =>
    forgetLeadersOnFailure(metadata, batches, async () => {
      const led: { readonly node: number; readonly batch: OutgoingBatch }[] = []
      for (const batch of batches) led.push({ batch, node: (await metadata.leader(batch.topic, batch.partition)).node })
      for (const { topic } of batches) checkIdentity(topic)
      const routes = [...Map.groupBy(led, ({ node }) => node)].map(async ([node, ofNode]) => {
        const connection = await connections.to(metadata.address(node), transaction.lane)
        return { connection, batches: ofNode.map(({ batch }) => batch) }
      })
      return Promise.all(routes)
    }),
  )
}

export type IdentityCheck = (topic: string) => void

/** Throws `TopicMismatchError` if a topic was created again (KIP-516): its sequence of records would have a gap. */
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
