import { settingsFor } from '../../../queue/src/kafka/admin/topic-settings.ts'
import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import { endTxnV3, endTxnV5 } from '../../../queue/src/kafka/connection/end-txn-request.ts'
import { fetchRequest } from '../../../queue/src/kafka/connection/fetch-request.ts'
import { produceV9, produceV12 } from '../../../queue/src/kafka/connection/produce-request.ts'
import {
  addPartitionsToTxnV3,
  createTopicsV7,
  deleteRecordsV2,
  describeConfigsV4,
  initProducerIdV4,
  listOffsetsV7,
  metadataV12,
} from '../../../queue/src/kafka/connection/requests.ts'
import { decodeBatches } from '../../../queue/src/record-batch/decode.ts'
import { BatchEncoder } from '../../../queue/src/record-batch/encode.ts'
import type { StoredBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import { openSession, type ProducerSession, sequenceOf, sessionOfAge } from './producer-session.ts'
import { type AskedBatch, type Place, type Script, type Step, scriptTopics, type Writer } from './script.ts'
import type { TestedBroker } from './tested-broker.ts'

/**
 * Sends a script. Returns a line for each answer, then a line for each batch of the logs.
 *
 * @param prefix - Prefix of topics and transactional ids, which keeps scripts apart.
 */
export async function runScript(broker: TestedBroker, script: Script, prefix: string): Promise<string[]> {
  const { transactionVersion } = script
  const topicIds = new Map<string, string>()
  const sessions = new Map<Writer, ProducerSession[]>()
  const producers: bigint[] = []
  const named = (topic: string): string => `${prefix}-${topic}`
  const idOf = (writer: Writer): string => `${prefix}-${writer}`
  /** Producer ids differ between brokers, so only their equality is compared. */
  const producer = (id: bigint): string => {
    if (id < 0n) return `${id}`
    if (!producers.includes(id)) producers.push(id)
    return `P${producers.indexOf(id)}`
  }

  /** Repeats the request while the answer says that it is too early. */
  async function patiently<T>(ask: () => Promise<T>, codesOf: (answer: T) => readonly number[]): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await ask()
      if (tries === 200 || !codesOf(answer).some((code) => early.includes(code))) return answer
      await broker.wait(5)
    }
  }

  function session(writer: Writer, age: number): ProducerSession {
    return sessionOfAge(sessions.get(writer) ?? [], age)
  }

  function begin(writer: Writer, producerId: bigint, epoch: number): void {
    const before = sessions.get(writer) ?? []
    sessions.set(writer, [...before, openSession(producerId, epoch)])
  }

  async function initProducerId(writer: Writer, timeoutMs: number): Promise<string> {
    const id = writer === 'idempotent' ? null : idOf(writer)
    const ask = () => broker.request(initProducerIdV4.api, id as string, timeoutMs, -1n, -1)
    const answer = await patiently(ask, ({ errorCode }) => [errorCode])
    if (answer.errorCode !== codes.NONE) return codeName(answer.errorCode)
    begin(writer, answer.producerId, answer.producerEpoch)
    return `${producer(answer.producerId)} epoch ${answer.producerEpoch}`
  }

  async function useUpEpochs(writer: Writer): Promise<string> {
    for (;;) {
      const opened = await initProducerId(writer, 600_000)
      const { epoch } = session(writer, 0)
      sessions.set(writer, sessions.get(writer)!.slice(-1))
      if (epoch >= lastEpoch - 4) return opened
    }
  }

  async function addPartitions({ producerId, epoch }: ProducerSession, writer: Writer, places: readonly Place[]) {
    const topics = [...Map.groupBy(places, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
      name: named(topic),
      partitions: [...new Set(ofTopic.map(({ partition }) => partition))],
    }))
    const transaction = { transactionalId: idOf(writer), producerId, producerEpoch: epoch, verifyOnly: false, topics }
    const resultsOf = (answer: Awaited<ReturnType<typeof ask>>) =>
      answer.resultsByTransaction.flatMap(({ topicResults }) =>
        topicResults.flatMap(({ name, resultsByPartition }) =>
          resultsByPartition.map(({ partitionIndex, partitionErrorCode: code }) => ({ name, partitionIndex, code })),
        ),
      )
    const ask = () => broker.request(addPartitionsToTxnV3.api, [transaction])
    const answer = await patiently(ask, (answer) => resultsOf(answer).map(({ code }) => code))
    const results = resultsOf(answer).map(
      ({ name, partitionIndex, code }) => `${name.slice(prefix.length + 1)}/${partitionIndex} ${codeName(code)}`,
    )
    return results.sort().join(', ')
  }

  async function produce(by: ProducerSession, writer: Writer, asked: readonly AskedBatch[], value: string) {
    const batches = asked.map((batch) => {
      const { topic, partition, count } = batch
      const baseSequence = sequenceOf(by, batch)
      const encoder = new BatchEncoder()
      const key = batch.keyed ? Buffer.from('key') : null
      for (let index = 0; index < count; index++)
        encoder.append({ key, value: Buffer.from(`${value}.${index}`), time: 1_000 })
      const transactional = writer !== 'idempotent'
      const bytes = encoder.finish({
        producerId: by.producerId,
        producerEpoch: by.epoch,
        baseSequence,
        transactional,
      })
      return { topic: named(topic), partition, bytes, baseSequence }
    })
    const transactionalId = writer === 'idempotent' ? null : idOf(writer)
    const api = transactionVersion === 2 && transactionalId !== null ? produceV12 : produceV9
    const ask = () => broker.request(api, { transactionalId, timeoutMs: 10_000, batches })
    const { partitions } = await patiently(ask, ({ partitions }) => partitions.map(({ errorCode }) => errorCode))
    return asked
      .map((batch, index) => {
        const { topic, partition, count } = batch
        const answer = partitions.find((one) => one.topic === named(topic) && one.partition === partition)
        const code = answer?.errorCode ?? Number.NaN
        if (code === codes.NONE) by.sent(topic, partition, { first: batches[index]!.baseSequence, count })
        return `${topic}/${partition} ${codeName(code)}`
      })
      .join(', ')
  }

  async function endTxn({ producerId, epoch }: ProducerSession, writer: Writer, committed: boolean): Promise<string> {
    const request = { transactionalId: idOf(writer), producerId, epoch, committed }
    const codesOf = ({ errorCode }: { errorCode: number }) => [errorCode]
    if (transactionVersion === 0) {
      const { errorCode } = await patiently(() => broker.request(endTxnV3, request), codesOf)
      await broker.settled(idOf(writer))
      return codeName(errorCode)
    }
    const answer = await patiently(() => broker.request(endTxnV5, request), codesOf)
    await broker.settled(idOf(writer))
    if (answer.errorCode !== codes.NONE) return codeName(answer.errorCode)
    const newest = sessions.get(writer)?.at(-1)
    if (newest?.producerId !== answer.producerId || newest.epoch !== answer.epoch)
      begin(writer, answer.producerId, answer.epoch)
    return `${producer(answer.producerId)} epoch ${answer.epoch}`
  }

  async function timeout(writer: Writer, place: Place): Promise<string> {
    const opened = await initProducerId(writer, 1_000)
    const by = session(writer, 0)
    const added = transactionVersion === 0 ? await addPartitions(by, writer, [place]) : ''
    const batch = { ...place, count: 1, sequence: 'next', keyed: true } as const
    const produced = await produce(by, writer, [batch], 'times out')
    await broker.timedOut(idOf(writer))
    const late = [
      await produce(by, writer, [batch], 'too late'),
      await endTxn(by, writer, true),
      await endTxn(by, writer, false),
    ]
    // No transaction may time out later, because that moment would differ between the brokers.
    return [opened, added, produced, ...late, await initProducerId(writer, 600_000)].join('; ')
  }

  async function fetch(place: Place, offset: bigint, maxBytes: number, epochs: { leader: number; last: number }) {
    const topicId = topicIds.get(place.topic)
    if (topicId === undefined) return 'not asked'
    const { partition } = place
    const { partitions } = await broker.request(fetchRequest, {
      maxWaitMs: 0,
      maxBytes,
      partitions: [{ topicId, partition, offset, leaderEpoch: epochs.leader, lastEpoch: epochs.last }],
    })
    const [found] = partitions as [(typeof partitions)[0]]
    const { errorCode, highWatermark, lastStableOffset, abortedTransactions, diverges, bytes } = found
    const aborted = abortedTransactions.map(({ producerId, firstOffset }) => `${producer(producerId)}@${firstOffset}`)
    const batches = decodeBatches(bytes, place)
    return [
      codeName(errorCode),
      `high watermark ${highWatermark}`,
      `stable ${lastStableOffset}`,
      `aborted [${aborted.join(' ')}]`,
      diverges ? 'diverges' : `batches [${batches.map((batch) => describeBatch(batch, producer)).join(' | ')}]`,
    ].join(', ')
  }

  async function listOffsets({ topic, partition }: Place, time: bigint, isolation: 0 | 1, epoch: number) {
    const asked = [{ partitionIndex: partition, currentLeaderEpoch: epoch, timestamp: time }]
    const { topics } = await broker.request(listOffsetsV7.api, -1, isolation, [
      { name: named(topic), partitions: asked },
    ])
    const { errorCode, offset } = topics[0]!.partitions[0]!
    return `${codeName(errorCode)} ${offset}`
  }

  async function deleteRecords({ topic, partition }: Place, offset: bigint): Promise<string> {
    const asked = [{ name: named(topic), partitions: [{ partitionIndex: partition, offset }] }]
    const { topics } = await broker.request(deleteRecordsV2.api, asked, 10_000)
    const { errorCode, lowWatermark } = topics[0]!.partitions[0]!
    return `${codeName(errorCode)} ${lowWatermark}`
  }

  async function createTopic(topic: string, partitions: number, compacted: boolean): Promise<string> {
    // Nothing is compacted while a script runs.
    const settings = { ...settingsFor(compacted ? 'compact' : 'delete'), 'min.cleanable.dirty.ratio': '1' }
    const configs = Object.entries(settings).map(([name, value]) => ({ name, value }))
    const asked = { name: named(topic), numPartitions: partitions, replicationFactor: -1, assignments: [], configs }
    const { topics } = await broker.request(createTopicsV7.api, [asked], 10_000, false)
    const code = topics[0]!.errorCode
    if (code === codes.NONE) topicIds.set(topic, await topicId(named(topic)))
    return codeName(code)
  }

  /** Waits until the broker acts as the leader of a new topic. */
  async function topicId(name: string): Promise<string> {
    for (;;) {
      const [topic] = (await broker.request(metadataV12.api, [name], false, false)).topics
      const timestamp = -1n
      const partitions = topic!.partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        currentLeaderEpoch: -1,
        timestamp,
      }))
      if (topic!.errorCode === codes.NONE) {
        const { topics } = await broker.request(listOffsetsV7.api, -1, 0, [{ name, partitions }])
        if (topics[0]!.partitions.every(({ errorCode }) => errorCode === codes.NONE)) return topic!.topicId!
      }
      await broker.wait(10)
    }
  }

  async function describeConfigs(topic: string): Promise<string> {
    const configurationKeys = ['cleanup.policy', 'message.timestamp.type', 'retention.ms', 'retention.bytes']
    const resource = { resourceType: 2, resourceName: named(topic), configurationKeys } as const
    const [result] = (await broker.request(describeConfigsV4.api, [resource], false, false)).results
    const configs = result!.configs.map(({ name, value }) => `${name}=${value}`).sort()
    return [codeName(result!.errorCode), ...configs].join(' ')
  }

  async function metadata(topic: string): Promise<string> {
    const [found] = (await broker.request(metadataV12.api, [named(topic)], false, false)).topics
    const partitions = found!.partitions.map(
      ({ partitionIndex, errorCode, leaderEpoch }) => `${partitionIndex} ${codeName(errorCode)} epoch ${leaderEpoch}`,
    )
    return [codeName(found!.errorCode), ...partitions.sort()].join(', ')
  }

  function answerTo(step: Step, number: number): Promise<string> {
    switch (step.ask) {
      case 'InitProducerId':
        return initProducerId(step.writer, step.timeoutMs)
      case 'use up epochs':
        return useUpEpochs(step.writer)
      case 'AddPartitionsToTxn':
        return addPartitions(session(step.writer, step.age), step.writer, step.places)
      case 'Produce':
        return produce(session(step.writer, step.age), step.writer, step.batches, `${number}`)
      case 'EndTxn':
        return endTxn(session(step.writer, step.age), step.writer, step.committed)
      case 'timeout':
        return timeout(step.writer, step.place)
      case 'Fetch':
        return fetch(step, step.offset, step.maxBytes, step.epochs)
      case 'ListOffsets':
        return listOffsets(step, step.time, step.isolation, step.epoch)
      case 'DeleteRecords':
        return deleteRecords(step, step.offset)
      case 'CreateTopics':
        return createTopic(step.topic, 1, step.compacted)
      case 'DescribeConfigs':
        return describeConfigs(step.topic)
      case 'Metadata':
        return metadata(step.topic)
    }
  }

  const lines: string[] = []
  for (const [topic, partitions] of Object.entries(scriptTopics))
    await createTopic(topic, partitions, topic === 'compacted')
  let number = 0
  for (const step of script.steps) lines.push(`${describeStep(step)} -> ${await answerTo(step, ++number)}`)
  // Ends open transactions, so that everything can be read.
  for (const writer of sessions.keys())
    if (writer !== 'idempotent') lines.push(`at the end ${writer} -> ${await initProducerId(writer, 600_000)}`)
  for (const [topic, partitions] of Object.entries(scriptTopics)) {
    for (let partition = 0; partition < partitions; partition++) {
      const place = { topic, partition }
      const earliest = await listOffsets(place, -2n, 0, -1)
      const first = BigInt(earliest.split(' ')[1]!)
      const log = await fetch(place, first, 10_000_000, { leader: -1, last: -1 })
      lines.push(`${topic}/${partition} from ${first} -> ${log}`)
    }
  }
  return lines
}

/** The highest epoch of a producer id, which only the coordinator uses. */
const lastEpoch = 32_766
/** Codes for "too early" or "not yet the coordinator". */
const early: readonly number[] = [
  codes.COORDINATOR_LOAD_IN_PROGRESS,
  codes.COORDINATOR_NOT_AVAILABLE,
  codes.NOT_COORDINATOR,
  codes.CONCURRENT_TRANSACTIONS,
  codes.NOT_ENOUGH_REPLICAS,
]

const codeNames = new Map<number, string>(Object.entries(codes).map(([name, code]) => [code, name]))

function codeName(code: number): string {
  return codeNames.get(code) ?? `${code}`
}

function describeBatch(batch: StoredBatch, producer: (id: bigint) => string): string {
  const { baseOffset, lastOffset, producerId, producerEpoch, baseSequence, transactional, count } = batch
  const by = `${producer(producerId)} epoch ${producerEpoch}`
  const kind = batch.control ? batch.controlType() : transactional ? 'transactional' : 'plain'
  const values = batch.control ? [] : [...batch.records()].map(({ value }) => Buffer.from(value!).toString())
  return `${baseOffset}-${lastOffset} ${kind} ${by} sequence ${baseSequence} count ${count} ${values.join(',')}`
}

export function describeStep(step: Step): string {
  const { ask, ...rest } = step
  return `${ask} ${JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? Number(value) : value))}`
}
