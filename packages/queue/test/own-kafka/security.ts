import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, type Identity } from '../../../testbed/kafka/security/certificates.ts'
import type { SecuredKafka, SecuredListener } from '../../../testbed/kafka/security/start-secured-kafka.ts'
import type { Queue } from '../../src/index.ts'
import { createKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { parseQueueUrl } from '../../src/queue-url.ts'
import { readValues, record, uniqueName } from '../kafka-fixture.ts'

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

/** `own` returns the broker, whose users are alice and the holder of a certificate for `client`. */
export function describeSecurity(own: () => SecuredKafka): void {
  describe('with security', () => testSecurity(own))
}

function testSecurity(own: () => SecuredKafka): void {
  let secured: SecuredKafka
  let trusting: Record<string, string>
  let client: Identity

  beforeAll(async () => {
    secured = own()
    trusting = { 'ssl.truststore.certificates': secured.authority.certificate }
    client = await secured.authority.sign({ subject: '/CN=client' })
  })

  async function open(
    listener: SecuredListener | 'PLAINTEXT',
    settings: Record<string, string>,
    host = '127.0.0.1',
  ): Promise<Queue> {
    const address = parseQueueUrl(secured.url(listener).replace('127.0.0.1', host))
    if (address.engine !== 'kafka') throw new Error(`not a Kafka: ${secured.url(listener)}`)
    const kafkaConfig = await secured.clientProperties(settings)
    return createKafkaQueue({ bootstrap: address.bootstrap, kafkaConfig, settings: { budgetMs: 20_000 } })
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

  /** Returns the message of the error. Expects it within the budget and without secrets. */
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

  it('is written and read with SASL_SSL', async () => {
    const settings = { 'security.protocol': 'SASL_SSL', ...trusting, ...sasl('SCRAM-SHA-512') }
    await writeAndRead(await open('SASL_SSL', settings))
  })

  /** A file in the folder of this test. */
  async function file(name: string, content: string): Promise<string> {
    const path = join(secured.folder, name)
    await writeFile(path, content)
    return path
  }

  const ownCertificates: Record<string, () => Promise<Record<string, string>>> = {
    'PEM in the settings': async () => ({
      'ssl.keystore.certificate.chain': client.certificate.replaceAll('\n', ' '),
      'ssl.keystore.key': client.key,
    }),
    'a PEM file': async () => ({
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': await file('client.pem', client.key + client.certificate),
    }),
    'a PEM file with an encrypted key': async () => {
      const { stdout: key } = await execa('openssl', ['pkcs8', '-topk8', '-passout', 'pass:key-secret'], {
        input: client.key,
      })
      const location = await file('encrypted.pem', `${key}\n${client.certificate}`)
      return { 'ssl.keystore.location': location, 'ssl.key.password': 'key-secret' }
    },
    'a PKCS12 file': async () => {
      const location = await file('client.p12', '')
      const store = ['-out', location, '-passout', 'pass:store-secret']
      await execa('openssl', ['pkcs12', '-export', ...store], { input: client.key + client.certificate })
      return { 'ssl.keystore.location': location, 'ssl.keystore.password': 'store-secret' }
    },
  }

  it.for(Object.keys(ownCertificates))(
    'is written and read with SSL and a client certificate from %s',
    async (form) => {
      const own = await ownCertificates[form]!()
      const trusted = { 'ssl.truststore.location': await file('ca.pem', secured.authority.certificate) }
      await writeAndRead(await open('MUTUAL', { 'security.protocol': 'SSL', ...trusted, ...own }))
    },
  )

  it('refuses a PKCS12 file with a wrong password before it connects', async () => {
    const own = { ...(await ownCertificates['a PKCS12 file']!()), 'ssl.keystore.password': 'other-secret' }
    const message = await refusal('invalid_kafka_config', open('MUTUAL', { 'security.protocol': 'SSL', ...own }))
    expect(message).toMatch(/:2: ssl\.keystore\.location cannot be used: .*ssl\.keystore\.password/)
  })

  it('refuses a trust store that Node.js cannot read, with the command that converts it to PEM', async () => {
    const location = await file('trust.p12', '')
    const store = ['-out', location, '-passout', 'pass:store-secret']
    await execa('openssl', ['pkcs12', '-export', '-nokeys', ...store], { input: secured.authority.certificate })
    const settings = { 'security.protocol': 'SSL', 'ssl.truststore.location': location }
    const message = await refusal('invalid_kafka_config', open('SSL', settings))
    expect(message).toMatch(
      /:2: .* is a PKCS12 file, which is not supported\. .*: keytool -list -rfc -keystore .*\.p12/,
    )
  })

  const user = { 'security.protocol': 'SASL_SSL' }

  it.for(['PLAIN', 'SCRAM-SHA-256'])('refuses a wrong password with %s and names the user', async (mechanism) => {
    const settings = { ...user, ...trusting, ...sasl(mechanism, 'alice', 'other-secret') }
    const message = await refusal('authentication_failed', open('SASL_SSL', settings))
    expect(message).toMatch(new RegExp(`does not accept user "alice" with ${mechanism}: .*sasl\\.jaas\\.config`))
  })

  it.for(['PLAIN', 'SCRAM-SHA-512'])('refuses an unknown user with %s', async (mechanism) => {
    const settings = { ...user, ...trusting, ...sasl(mechanism, 'mallory', 'other-secret') }
    const message = await refusal('authentication_failed', open('SASL_SSL', settings))
    expect(message).toMatch(/does not accept user "mallory"/)
  })

  it('refuses a certificate of another name, unless the check is disabled', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    const message = await refusal('tls_failed', open('WRONG_NAME', settings))
    expect(message).toMatch(/127\.0\.0\.1.*elsewhere\.example.*Use a name in the queue URL/)
    const unchecked = await open('WRONG_NAME', { ...settings, 'ssl.endpoint.identification.algorithm': '' })
    expect(await unchecked.describe(['no-such-topic'])).toEqual([])
    await unchecked.close()
  })

  it('refuses a certificate of an unknown authority', async () => {
    const other = await createAuthority(secured.folder, 'other')
    const settings = { 'security.protocol': 'SSL', 'ssl.truststore.certificates': other.certificate }
    expect(await refusal('tls_failed', open('SSL', settings))).toMatch(/Set ssl\.truststore\.location to a PEM file/)
    expect(await refusal('tls_failed', open('SSL', { 'security.protocol': 'SSL' }))).toMatch(/ssl\.truststore/)
  })

  it('refuses an expired certificate', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    expect(await refusal('tls_failed', open('EXPIRED', settings))).toMatch(/expired\. The broker needs a new/)
  })

  it('reports that a broker asks for a client certificate', async () => {
    const settings = { 'security.protocol': 'SSL', ...trusting }
    expect(await refusal('tls_failed', open('MUTUAL', settings))).toMatch(/set ssl\.keystore\.location/)
  })

  const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
  const mixUps = protocols.flatMap((spoken) => protocols.map((asked) => [asked, spoken] as const))

  it.for(mixUps.filter(([asked, spoken]) => asked !== spoken))(
    'reports to a client with %s that the port speaks %s',
    async ([asked, spoken]) => {
      const settings = { 'security.protocol': asked, ...trusting, ...sasl('PLAIN') }
      const message = await refusal('wrong_security_protocol', open(spoken, settings).then(use))
      expect(message).toMatch(new RegExp(`speaks ${spoken}.* and security\\.protocol is ${asked}\\. Set .*=${spoken} `))
    },
  )
}

async function use(queue: Queue): Promise<Queue> {
  try {
    await queue.describe()
    return queue
  } catch (error) {
    await queue.close()
    throw error
  }
}
