import { type Admin, ConfigResourceTypes, type ITopicConfig, Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { KafkaBroker } from '../../../testbed/kafka/start-kafka.ts'
import type { Logger, Queue } from '../../src/index.ts'
import { diagnoseKafka } from '../../src/kafka/diagnose.ts'
import { createKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { brokerAddresses, uniqueName } from '../kafka-fixture.ts'
import { allFindings } from './all-findings.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const right = { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' }

/** `own` returns the broker, whose settings these tests change. */
export function describeSettings(own: () => KafkaBroker): void {
  describe('with settings of its topics and brokers', () => testSettings(own))
}

function testSettings(own: () => KafkaBroker): void {
  let broker: KafkaBroker
  let admin: Admin
  const queues: Queue[] = []

  beforeAll(async () => {
    broker = own()
    admin = new Kafka({ brokers: [broker.bootstrap], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
  })
  afterAll(async () => {
    await Promise.all(queues.map((queue) => queue.close()))
    await admin?.disconnect()
  })

  const bootstrap = () => brokerAddresses(broker.bootstrap)

  async function open(log = silent): Promise<Queue> {
    const queue = await createKafkaQueue({ bootstrap: bootstrap(), log })
    queues.push(queue)
    return queue
  }

  /** A topic of another program. */
  async function makeTopic(settings: Record<string, string>, partitions = 1): Promise<string> {
    const topic = uniqueName('headrace.evm.1_0_0.settings')
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    await create({ topic, numPartitions: partitions, configEntries })
    return topic
  }

  /** Returns when the broker serves the topic. It confirms the creation earlier. */
  async function create(config: ITopicConfig): Promise<void> {
    await admin.createTopics({ topics: [config], waitForLeaders: false })
    await vi.waitFor(async () => expect(await admin.listTopics()).toContain(config.topic), 30_000)
  }

  it.for([
    ['retention by time', { ...right, 'retention.ms': '604800000' }, 'retention.ms=604800000 instead of -1'],
    ['retention by size', { ...right, 'retention.bytes': '1000000' }, 'retention.bytes=1000000 instead of -1'],
    ['compaction', { ...right, 'cleanup.policy': 'compact' }, 'cleanup.policy=compact instead of delete'],
    [
      'times of the broker',
      { ...right, 'message.timestamp.type': 'LogAppendTime' },
      'message.timestamp.type=LogAppendTime instead of CreateTime',
    ],
  ] as const)('refuse a data topic with %s', async ([, settings, difference]) => {
    const topic = await makeTopic(settings)
    const creating = (await open()).createTopics([{ name: topic }])
    await expect(creating).rejects.toThrow(expect.objectContaining({ code: 'topic_mismatch', topic }))
    await expect(creating).rejects.toThrow(`"${topic}" exists with other settings: ${difference}. If it is to be used`)
  })

  it('refuse a topic with all differences in one error, and with the command that fixes it', async () => {
    const topic = await makeTopic({ 'cleanup.policy': 'compact,delete', 'retention.ms': '1000' }, 2)
    const queue = await open()
    const error = await queue.createTopics([{ name: topic }]).catch((error: Error) => error)
    const { message } = error as Error
    expect(message).toContain(
      'settings: 2 partitions instead of 1, cleanup.policy=compact,delete instead of delete, retention.ms=1000 instead of -1.',
    )
    const command = /change it with: kafka-configs\.sh (.*)$/.exec(message)![1]!
    const parts = command.replace('HOST:PORT', broker.bootstrap).split(' ')
    await broker.javaTool('kafka.admin.ConfigCommand', parts)
    await queue.createTopics([{ name: topic, partitions: 2 }])
  })

  it('refuse a compacted topic that also deletes by time', async () => {
    const topic = await makeTopic({ 'cleanup.policy': 'compact,delete' })
    const creating = (await open()).createTopics([{ name: topic, cleanup: 'compact' }])
    await expect(creating).rejects.toThrow(/cleanup\.policy=compact,delete instead of compact/)
  })

  it('refuse a transaction timeout above the limit of the brokers', async () => {
    const queue = await open()
    const opening = queue.openWriter({ id: uniqueName('settings'), claim: 'run', transactionTimeoutMs: 900_001 })
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'unsupported_broker' }))
    await expect(opening).rejects.toThrow(/timeout of 900001 ms: its transaction\.max\.timeout\.ms is lower/)
  })

  it('cause one warning if they may lose records', async () => {
    const topic = await makeTopic({ ...right, 'unclean.leader.election.enable': 'true', 'max.message.bytes': '100000' })
    const warnings: Record<string, unknown>[] = []
    const queue = await open({ ...silent, warn: (fields) => warnings.push(fields as Record<string, unknown>) })
    await queue.createTopics([{ name: topic }])
    await queue.createTopics([{ name: topic }])
    const ofTopic = warnings.filter(({ places }) => (places as string[]).includes(`topic "${topic}"`))
    expect(ofTopic.map(({ code }) => code)).toEqual(['low_replication', 'unclean_election', 'small_batches'])
  })

  it('are all found by a diagnosis that changes nothing', async () => {
    const wrong = await makeTopic({ ...right, 'retention.ms': '604800000', 'unclean.leader.election.enable': 'true' })
    const foreign = uniqueName('settings-of-others')
    await create({ topic: foreign })
    const options = { bootstrap: bootstrap(), settings: { transactionTimeoutMs: 900_001 } }
    const findings = await allFindings(options)
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'unsupported_broker', place: 'broker 1', repaired: false }),
    )
    const ofTopic = findings.filter(({ place }) => place === `topic "${wrong}"`)
    expect(ofTopic.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'topic_mismatch'],
      ['warning', 'low_replication'],
      ['warning', 'unclean_election'],
    ])
    expect(ofTopic[0]!.remedy).toMatch(/kafka-configs\.sh .* --add-config retention\.ms=-1$/)
    expect(findings.filter(({ place }) => place.includes(foreign))).toEqual([])
    expect(await allFindings(options)).toEqual(findings)
  })

  it('are not diagnosed if no broker answers, which is a finding', async () => {
    const nowhere = { bootstrap: [{ host: '127.0.0.1', port: 1 }], settings: { budgetMs: 200 } }
    expect(await allFindings(nowhere)).toMatchObject([
      { severity: 'error', code: 'queue_unavailable', place: '127.0.0.1:1' },
    ])
    const unreadable = { bootstrap: bootstrap(), kafkaConfig: '/no/such/file' }
    expect(await allFindings(unreadable)).toMatchObject([{ code: 'invalid_kafka_config', place: '/no/such/file' }])
  })

  it('are not diagnosed further after the signal is aborted', async () => {
    const diagnosing = diagnoseKafka({ bootstrap: bootstrap(), signal: AbortSignal.abort(new Error('enough')) })
    await expect(diagnosing.next()).rejects.toThrow('enough')
  })

  it('refuse to open a queue if the brokers do not verify the partitions of a transaction', async () => {
    const name = 'transaction.partition.verification.enable'
    const verification = (value: string) => ({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.BROKER, name: '1', configEntries: [{ name, value }] }],
    })
    await admin.alterConfigs(verification('false'))
    await vi.waitFor(async () => {
      const opening = open()
      await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'unsupported_broker' }))
      await expect(opening).rejects.toThrow(/transaction\.partition\.verification\.enable=false.*Set it to true/)
    }, 30_000)
    await admin.alterConfigs(verification('true'))
  })
}
