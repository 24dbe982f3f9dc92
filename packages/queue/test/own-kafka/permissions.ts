import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AccessControl, type Grant, openAccessControl } from '../../../testbed/kafka/security/access-control.ts'
import type { SecuredKafka } from '../../../testbed/kafka/security/start-secured-kafka.ts'
import type { Logger, Queue } from '../../src/index.ts'
import { createKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { parseQueueUrl } from '../../src/queue-url.ts'
import { readValues, record, uniqueName } from '../kafka-fixture.ts'
import { allFindings } from './all-findings.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const owners = '_headrace.owners'
const checkpoints = '_headrace.checkpoints'
const registry = '_headrace.registry'

/** `own` returns the broker, which has a user bob without permissions. */
export function describePermissions(own: () => SecuredKafka): void {
  describe('with access control', () => testPermissions(own))
}

function testPermissions(own: () => SecuredKafka): void {
  let secured: SecuredKafka
  let access: AccessControl
  let data: string
  let writer: string
  const queues: Queue[] = []

  beforeAll(async () => {
    secured = own()
    access = await openAccessControl(secured.broker.bootstrap, 'User:bob')
  })
  afterAll(() => access?.close())
  beforeEach(() => {
    const lineage = `${uniqueName('headrace')}.evm.1_0_0`
    data = `${lineage}.ethereum_Block`
    writer = `${lineage}/main`
  })
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()))
    await access.revokeAll()
  })

  function asBob(protocol = 'SASL_PLAINTEXT'): Promise<string> {
    const jaas =
      'org.apache.kafka.common.security.plain.PlainLoginModule required username="bob" password="bob-secret";'
    return secured.clientProperties({
      'security.protocol': protocol,
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': jaas,
    })
  }

  async function open(listener: 'SASL_PLAINTEXT' | 'PLAINTEXT', log = silent): Promise<Queue> {
    const address = parseQueueUrl(secured.url(listener))
    if (address.engine !== 'kafka') throw new Error('not a Kafka')
    const kafkaConfig = await asBob(listener)
    const queue = await createKafkaQueue({
      bootstrap: address.bootstrap,
      kafkaConfig,
      settings: { budgetMs: 10_000 },
      log,
    })
    queues.push(queue)
    return queue
  }

  /** The calls of a connector in a run. */
  async function runConnector(queue: Queue): Promise<void> {
    await queue.createTopics([registry, checkpoints, owners].map((name) => ({ name, cleanup: 'compact' })))
    await queue.createTopics([{ name: data }])
    await readValues(queue, registry)
    await queue.append([record(registry, data)])
    const opened = await queue.openWriter({ id: writer, claim: uniqueName('run') })
    await queue.latest(checkpoints, 0, Buffer.from(writer))
    const transaction = opened.begin()
    transaction.send(record(data, 'one'))
    transaction.send(record(checkpoints, 'one', { key: Buffer.from(writer) }))
    await transaction.commit()
    await queue.deleteBefore(data, 0, 1n)
    await opened.close()
  }

  /** The calls of a gateway for a topic. */
  async function runGateway(queue: Queue): Promise<string[]> {
    await queue.describe([registry])
    await readValues(queue, registry)
    await queue.describe([data])
    await queue.offsetForTime(data, 0, 0)
    return readValues(queue, data)
  }

  /** The permissions for existing topics, without DESCRIBE_CONFIGS, which is not needed. */
  function connectorGrants(): Grant[] {
    return [
      { operation: 'READ', topic: registry },
      { operation: 'WRITE', topic: registry },
      { operation: 'READ', topic: checkpoints },
      { operation: 'WRITE', topic: checkpoints },
      { operation: 'READ', topic: owners },
      { operation: 'WRITE', topic: owners },
      { operation: 'WRITE', topic: data },
      { operation: 'DELETE', topic: data },
      { operation: 'WRITE', transactionalId: writer },
    ]
  }

  const text = (grant: Grant): string => {
    if ('topic' in grant) return `${grant.operation} on topic "${grant.topic}"`
    return 'cluster' in grant
      ? `${grant.operation} on cluster`
      : `${grant.operation} on transactional-id "${grant.transactionalId}"`
  }

  async function makeTopics(): Promise<void> {
    const queue = await open('PLAINTEXT')
    await queue.createTopics([registry, checkpoints, owners].map((name) => ({ name, cleanup: 'compact' })))
    await queue.createTopics([{ name: data }])
    await queue.append([record(registry, data), record(data, 'zero')])
  }

  async function denial(doing: Promise<unknown>): Promise<string> {
    const error = await doing.then(
      () => new Error('it was permitted'),
      (error: Error) => error,
    )
    expect(error).toMatchObject({ code: 'permission_denied' })
    return error.message
  }

  it('names the first missing permission of a connector without any', async () => {
    const message = await denial(runConnector(await open('SASL_PLAINTEXT')))
    expect(message).toContain(`DESCRIBE on topic "${registry}" (which READ or WRITE includes) is missing for User:bob.`)
    const command = `kafka-acls.sh --bootstrap-server HOST:PORT --add --allow-principal User:bob --operation Describe --topic ${registry}`
    expect(message).toContain(`Grant it with: ${command}`)
  })

  it('allows a connector with the permissions of the reference to work', async () => {
    await makeTopics()
    await access.grant(...connectorGrants())
    await runConnector(await open('SASL_PLAINTEXT'))
  })

  it('allows a connector with the permission to create topics to do so', async () => {
    await access.grant(...connectorGrants(), { operation: 'CREATE', topic: data.replace(/ethereum.*/, '*') })
    const system = [registry, checkpoints, owners].map((topic): Grant => ({ operation: 'CREATE', topic }))
    await access.grant(...system)
    await runConnector(await open('SASL_PLAINTEXT'))
  })

  it('names the permission to create a missing topic', async () => {
    await makeTopics()
    const missing = `${data}-new`
    await access.grant({ operation: 'DESCRIBE', topic: missing })
    const queue = await open('SASL_PLAINTEXT')
    const message = await denial(queue.createTopics([{ name: missing }]))
    expect(message).toContain(text({ operation: 'CREATE', topic: missing }))
  })

  it('names each missing permission of a connector, and only that one', async () => {
    await makeTopics()
    const grants = connectorGrants()
    await access.grant(...grants, { operation: 'DESCRIBE', transactionalId: writer })
    const queue = await open('SASL_PLAINTEXT')
    for (const grant of grants) {
      await access.revoke(grant)
      expect(await denial(runConnector(queue))).toContain(`${text(grant)} is missing`)
      await access.grant(grant)
    }
    await runConnector(queue)
  })

  it('names the permission to find the coordinator, which WRITE includes', async () => {
    await makeTopics()
    await access.grant(...connectorGrants().filter((grant) => !('transactionalId' in grant)))
    const message = await denial(runConnector(await open('SASL_PLAINTEXT')))
    expect(message).toContain(`DESCRIBE on transactional-id "${writer}" (which WRITE includes) is missing for User:bob`)
  })

  it('allows a gateway with the permissions of the reference to read, and names each missing one', async () => {
    await makeTopics()
    const grants: Grant[] = [registry, data].map((topic) => ({ operation: 'READ', topic }))
    await access.grant(...grants)
    const queue = await open('SASL_PLAINTEXT')
    expect(await runGateway(queue)).toEqual(['zero'])
    for (const grant of grants) {
      await access.grant({ ...grant, operation: 'DESCRIBE' })
      await access.revoke(grant)
      expect(await denial(runGateway(queue))).toContain(`${text(grant)} is missing`)
      await access.grant(grant)
    }
    await access.revokeAll()
    const message = await denial(runGateway(queue))
    expect(message).toContain(`DESCRIBE on topic "${registry}"`)
  })

  it('ends follow with an error when the permission is revoked', async () => {
    await makeTopics()
    await access.grant({ operation: 'READ', topic: data })
    const queue = await open('SASL_PLAINTEXT')
    const following = queue.follow([{ topic: data, partition: 0, offset: 0n }], {
      signal: new AbortController().signal,
    })
    const next = following[Symbol.asyncIterator]()
    await next.next()
    await access.revokeAll()
    expect(await denial(next.next())).toContain('on topic')
  })

  it('reports a command that grants the missing permission', async () => {
    await makeTopics()
    const queue = await open('SASL_PLAINTEXT')
    const reading = (): Promise<string[]> => readValues(queue, data)
    await access.grant({ operation: 'DESCRIBE', topic: data })
    const command = /kafka-acls\.sh (.*)$/.exec(await denial(reading()))![1]!
    const parts = command.replace('HOST:PORT', secured.broker.bootstrap).split(' ')
    await secured.broker.javaTool('org.apache.kafka.tools.AclCommand', parts)
    expect(await reading()).toEqual(['zero'])
  })

  it('works without the permission to see settings of topics, and logs that once', async () => {
    await makeTopics()
    await access.grant({ operation: 'READ', topic: data })
    const warnings: unknown[] = []
    const queue = await open('SASL_PLAINTEXT', { ...silent, warn: (fields) => warnings.push(fields) })
    warnings.length = 0
    for (let time = 0; time < 2; time++) {
      expect(await queue.describe([data])).toMatchObject([{ name: data, cleanup: undefined }])
    }
    expect(warnings).toEqual([{ topics: [data], principal: 'User:bob' }])
    await access.grant({ operation: 'DESCRIBE_CONFIGS', topic: data })
    expect(await queue.describe([data])).toMatchObject([{ name: data, cleanup: 'delete' }])
  })

  it('is diagnosed with the visible settings, and the hidden ones are a finding', async () => {
    await makeTopics()
    await access.grant({ operation: 'READ', topic: data })
    const address = parseQueueUrl(secured.url('SASL_PLAINTEXT'))
    if (address.engine !== 'kafka') throw new Error('not a Kafka')
    const findings = await allFindings({ bootstrap: address.bootstrap, kafkaConfig: await asBob() })
    expect(findings.map(({ severity, code, place }) => [severity, code, place])).toEqual([
      ['warning', 'permission_denied', 'broker 1'],
      ['warning', 'permission_denied', `topics ${data}`],
      ['warning', 'low_replication', `topic "${data}"`],
    ])
    expect(findings[0]!.remedy).toContain('--allow-principal User:bob --operation DescribeConfigs --cluster')
  })
}
