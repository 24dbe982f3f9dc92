import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { shortSessionMs } from '../../../testbed/kafka/security/secured-properties.ts'
import type { SecuredKafka, SecuredListener } from '../../../testbed/kafka/security/start-secured-kafka.ts'
import { issuerClient, type TokenIssuer } from '../../../testbed/kafka/security/token-issuer.ts'
import { type NewRecord, type Queue, type Transaction, TransactionAbortedError } from '../../src/index.ts'
import { type BrokerConnection, connectToBroker } from '../../src/kafka/connection/broker-connection.ts'
import { defaultKafkaSettings, type KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import { metadataV12 } from '../../src/kafka/connection/requests.ts'
import { readClientProperties } from '../../src/kafka/connection/security/client-properties.ts'
import type { Security } from '../../src/kafka/connection/security/security.ts'
import { createKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { parseQueueUrl } from '../../src/queue-url.ts'
import { brokerAddresses, readValues, record, uniqueName } from '../kafka-fixture.ts'

/** `own` returns the broker, which accepts the tokens of `issuer`. */
export function describeOAuthBearer(own: () => SecuredKafka, issuer: () => TokenIssuer): void {
  describe('with OAUTHBEARER', () => testOAuthBearer(own, issuer))
}

function testOAuthBearer(own: () => SecuredKafka, issuer: () => TokenIssuer): void {
  const opened: Queue[] = []

  afterEach(async () => {
    issuer().fault = {}
    await Promise.all(opened.splice(0).map((queue) => queue.close()))
  })

  const byClient = (): Record<string, string> => ({
    'sasl.oauthbearer.token.endpoint.url': issuer().tokenUrl,
    'sasl.oauthbearer.client.credentials.client.id': issuerClient.id,
    'sasl.oauthbearer.client.credentials.client.secret': issuerClient.secret,
  })
  const byCommand = (command: string) => ({ 'headrace.sasl.oauthbearer.token.command': command })

  function configFile(settings: Record<string, string>): Promise<string> {
    const protocol = { 'security.protocol': 'SASL_PLAINTEXT', 'sasl.mechanism': 'OAUTHBEARER' }
    return own().clientProperties({ ...protocol, ...settings })
  }

  function connect(listener: SecuredListener, security: Security): Promise<BrokerConnection> {
    const [address] = brokerAddresses(own().broker.listeners.get(listener)!)
    return connectToBroker(address!, defaultKafkaSettings, security)
  }

  async function open(settings: Record<string, string>, kafka: Partial<KafkaSettings> = {}): Promise<Queue> {
    const address = parseQueueUrl(own().url('OAUTH'))
    if (address.engine !== 'kafka') throw new Error('not a Kafka')
    const kafkaConfig = await configFile(settings)
    const queue = await createKafkaQueue({ ...address, kafkaConfig, settings: { budgetMs: 20_000, ...kafka } })
    opened.push(queue)
    return queue
  }

  /** The message of the error, which has no secret. */
  async function refusal(code: string, settings: Record<string, string>, kafka?: Partial<KafkaSettings>) {
    const error = await open(settings, kafka).then(
      () => new Error('it was opened'),
      (error: Error) => error,
    )
    expect(error).toMatchObject({ code, message: expect.not.stringMatching(/issuer-secret|eyJ/) })
    return error.message
  }

  async function publish(queue: Queue, topic: string, while_: (count: number) => boolean): Promise<string[]> {
    await queue.createTopics([{ name: topic }])
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const values: string[] = []
    while (while_(values.length)) {
      const value = `${values.length}`
      while (!(await isCommitted(writer.begin(), record(topic, value)))) {}
      values.push(value)
    }
    await writer.close()
    return values
  }

  /** A refused commit is published again, as in a run. */
  async function isCommitted(transaction: Transaction, one: NewRecord): Promise<boolean> {
    transaction.send(one)
    try {
      await transaction.commit()
      return true
    } catch (error) {
      if (!(error instanceof TransactionAbortedError)) throw error
      await transaction.abort()
      return false
    }
  }

  async function writeAndRead(queue: Queue): Promise<void> {
    const topic = uniqueName('oauth')
    const values = await publish(queue, topic, (count) => count < 2)
    expect(await readValues(queue, topic)).toEqual(values)
  }

  it('is written and read with the credentials of a client, and one token for all connections', async () => {
    const before = issuer().requests
    await writeAndRead(await open(byClient()))
    expect(issuer().requests).toBe(before + 1)
  })

  it('is written and read with the options of the login module, and with extensions', async () => {
    const options = `clientId="${issuerClient.id}" clientSecret="${issuerClient.secret}" scope="x" extension_pool="p-1"`
    await writeAndRead(
      await open({
        'sasl.login.callback.handler.class':
          'org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler',
        'sasl.oauthbearer.token.endpoint.url': issuer().tokenUrl,
        'sasl.jaas.config': `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required ${options};`,
      }),
    )
  })

  it('is written and read with tokens of a program and of a file', async () => {
    await writeAndRead(await open(byCommand(`echo '{"token": "${issuer().token()}", "expires_in": 60}'`)))
    const file = join(own().folder, 'token')
    await writeFile(file, `${issuer().token()}\n`)
    await writeAndRead(await open({ 'sasl.oauthbearer.token.endpoint.url': `file://${file}` }))
  })

  it('loses and repeats nothing while sessions and tokens are renewed, the issuer fails and its key changes', async () => {
    const lifetimeSeconds = 2
    issuer().fault = { lifetimeSeconds }
    const queue = await open(byClient())
    const before = issuer().requests
    const topic = uniqueName('oauth')
    const end = performance.now() + 4_600
    const disturbing = (async () => {
      await delay(800)
      issuer().fault = { status: 503 }
      // Until after the end of the token.
      await delay(1_800)
      issuer().fault = { lifetimeSeconds }
      issuer().rotateKey()
    })()
    const values = await publish(queue, topic, () => performance.now() < end)
    await disturbing
    expect(await readValues(queue, topic)).toEqual(values)
    expect(issuer().requests - before).toBeGreaterThan(2)
  })

  it('keeps connections longer than their sessions under load, with tokens as with passwords', async () => {
    const sasl = { mechanism: 'SCRAM-SHA-512', username: 'alice', password: 'alice-secret' } as const
    const connections = await Promise.all([
      connect('SHORT_SESSION', { protocol: 'SASL_PLAINTEXT', sasl }),
      connect('OAUTH', (await readClientProperties(await configFile(byClient()))).security),
    ])
    const end = performance.now() + 1.2 * shortSessionMs
    const askOn = async (connection: BrokerConnection): Promise<void> => {
      while (performance.now() < end) await connection.request(metadataV12.api, [], false, false)
    }
    // Concurrently and without a pause until after the end of the first session.
    await Promise.all(connections.flatMap((connection) => Array.from({ length: 5 }, () => askOn(connection))))
    for (const connection of connections) {
      expect(connection.usable).toBe(true)
      connection.close()
    }
  })

  it('refuses a client that the issuer does not know', async () => {
    const settings = { ...byClient(), 'sasl.oauthbearer.client.credentials.client.secret': 'other' }
    const message = await refusal('authentication_failed', settings)
    expect(message).toMatch(
      /token for client "connector": it answers 401 invalid_client: unknown client\. Check the URL/,
    )
  })

  it.for([
    ['for another audience', { audience: 'elsewhere' }],
    ['that has expired', { lifetimeSeconds: -60 }],
    ['of an issuer whose clock is behind', { skewSeconds: -7_200 }],
  ] as const)('refuses a token %s', async ([, fault]) => {
    issuer().fault = fault
    const message = await refusal('authentication_failed', byClient())
    expect(message).toMatch(/^Broker .* the token of .* is refused: invalid_token\. Check its audience, issuer/)
  })

  it('is opened when the issuer answers again', async () => {
    issuer().fault = { body: '<html>' }
    expect(await refusal('queue_unavailable', byClient(), { budgetMs: 400 })).toMatch(
      / no token from .*: its answer has text with/,
    )
    setTimeout(() => (issuer().fault = {}), 300)
    await open(byClient())
  })
}
