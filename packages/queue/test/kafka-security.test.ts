import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, type Identity } from '../../../scripts/kafka/security/certificates.ts'
import {
  type SecuredKafka,
  type SecuredListener,
  startSecuredKafka,
} from '../../../scripts/kafka/security/start-secured-kafka.ts'
import type { Queue } from '../src/index.ts'
import { createKafkaQueue } from '../src/kafka/kafka-queue.ts'
import { parseQueueUrl } from '../src/queue-url.ts'
import { kafka, readValues, record, uniqueName } from './kafka-fixture.ts'

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

describe.skipIf(kafka === null)('a Kafka with security', () => {
  let secured: SecuredKafka
  let trusting: Record<string, string>
  let client: Identity

  beforeAll(async () => {
    const started = await startSecuredKafka({
      users: { alice: 'alice-secret' },
      superUsers: ['User:alice', 'User:CN=client'],
    })
    if ('unavailable' in started) throw new Error(started.unavailable)
    secured = started
    trusting = { 'ssl.truststore.certificates': secured.authority.certificate }
    client = await secured.authority.sign({ subject: '/CN=client' })
  })
  afterAll(() => secured?.stop())

  async function open(
    listener: SecuredListener | 'PLAINTEXT',
    settings: Record<string, string>,
    host = '127.0.0.1',
  ): Promise<Queue> {
    const address = parseQueueUrl(secured.url(listener).replace('127.0.0.1', host))
    if (address.engine !== 'kafka') throw new Error(`not a Kafka: ${secured.url(listener)}`)
    const kafkaConfig = await secured.clientProperties(settings)
    return createKafkaQueue({ bootstrap: address.bootstrap, kafkaConfig, settings: { budgetMs: 5_000 } })
  }

  function sasl(mechanism: string, username = 'alice', password = 'alice-secret'): Record<string, string> {
    const module = mechanism === 'PLAIN' ? 'plain.PlainLoginModule' : 'scram.ScramLoginModule'
    return {
      'sasl.mechanism': mechanism,
      'sasl.jaas.config': `org.apache.kafka.common.security.${module} required username="${username}" password="${password}";`,
    }
  }

  async function writeAndRead(queue: Queue): Promise<void> {
    const topic = uniqueName('secured')
    await queue.createTopics([{ name: topic }])
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const transaction = writer.begin()
    transaction.send(record(topic, 'one'))
    await transaction.commit()
    expect(await readValues(queue, topic)).toEqual(['one'])
    await queue.close()
  }

  /** The message of a refusal, which must come before the budget ends and hold no secret. */
  async function refusal(code: string, opening: Promise<Queue>): Promise<string> {
    const error = await opening.then(
      async (queue) => {
        await queue.close()
        return new Error('it was opened')
      },
      (error: Error) => error,
    )
    expect(error).toMatchObject({ code, message: expect.not.stringMatching(/secret/) })
    return error.message
  }

  it.for(mechanisms)('is written and read with SASL_PLAINTEXT and %s', async (mechanism) => {
    await writeAndRead(await open('SASL_PLAINTEXT', { 'security.protocol': 'SASL_PLAINTEXT', ...sasl(mechanism) }))
  })

  it.for(mechanisms)('is written and read with SASL_SSL and %s', async (mechanism) => {
    await writeAndRead(await open('SASL_SSL', { 'security.protocol': 'SASL_SSL', ...trusting, ...sasl(mechanism) }))
  })

  it('is written and read with SSL by a client with a certificate', async () => {
    const own = { 'ssl.keystore.certificate.chain': client.certificate, 'ssl.keystore.key': client.key }
    await writeAndRead(await open('MUTUAL', { 'security.protocol': 'SSL', ...trusting, ...own }))
  })

  const user = { 'security.protocol': 'SASL_SSL' }

  it.for(mechanisms)('refuses a wrong password with %s and says for whom', async (mechanism) => {
    const settings = { ...user, ...trusting, ...sasl(mechanism, 'alice', 'other-secret') }
    const message = await refusal('authentication_failed', open('SASL_SSL', settings))
    expect(message).toMatch(new RegExp(`does not accept user "alice" with ${mechanism}: .*sasl\\.jaas\\.config`))
  })

  it.for(mechanisms)('refuses an unknown user with %s', async (mechanism) => {
    const settings = { ...user, ...trusting, ...sasl(mechanism, 'mallory', 'other-secret') }
    const message = await refusal('authentication_failed', open('SASL_SSL', settings))
    expect(message).toMatch(/does not accept user "mallory"/)
  })

  it('refuses a certificate of another name, unless names are not to be checked', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    const message = await refusal('tls_failed', open('WRONG_NAME', settings))
    expect(message).toMatch(/127\.0\.0\.1.*elsewhere\.example.*Use a name in --queue/)
    const unchecked = await open('WRONG_NAME', { ...settings, 'ssl.endpoint.identification.algorithm': '' })
    expect(await unchecked.describe(['no-such-topic'])).toEqual([])
    await unchecked.close()
  })

  it('refuses a certificate of an authority that it does not trust', async () => {
    const other = await createAuthority(secured.folder, 'other')
    const settings = { 'security.protocol': 'SSL', 'ssl.truststore.certificates': other.certificate }
    expect(await refusal('tls_failed', open('SSL', settings))).toMatch(/Set ssl\.truststore\.location to a PEM file/)
    expect(await refusal('tls_failed', open('SSL', { 'security.protocol': 'SSL' }))).toMatch(/ssl\.truststore/)
  })

  it('refuses an expired certificate', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    expect(await refusal('tls_failed', open('EXPIRED', settings))).toMatch(/expired\. The broker needs a new/)
  })

  it('says that a broker wants a certificate of ours', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    expect(await refusal('tls_failed', open('MUTUAL', settings))).toMatch(/set ssl\.keystore\.location/)
  })

  const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
  const mixUps = protocols.flatMap((spoken) => protocols.map((asked) => [asked, spoken] as const))

  it.for(mixUps.filter(([asked, spoken]) => asked !== spoken))(
    'tells a client for %s that the port speaks %s',
    async ([asked, spoken]) => {
      const settings = { 'security.protocol': asked, ...trusting, ...sasl('PLAIN') }
      const message = await refusal('wrong_security_protocol', open(spoken, settings).then(use))
      expect(message).toMatch(new RegExp(`speaks ${spoken}.* and security\\.protocol is ${asked}\\. Set .*=${spoken} `))
    },
  )
})

async function use(queue: Queue): Promise<Queue> {
  try {
    await queue.describe()
    return queue
  } catch (error) {
    await queue.close()
    throw error
  }
}
