import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { shortSessionMs } from '../../../scripts/kafka/security/secured-properties.ts'
import { type SecuredKafka, startSecuredKafka } from '../../../scripts/kafka/security/start-secured-kafka.ts'
import type { BrokerConnection } from '../src/kafka/connection/broker-connection.ts'
import { defaultKafkaSettings } from '../src/kafka/connection/kafka-settings.ts'
import { metadataRequest } from '../src/kafka/connection/requests.ts'
import type { Security } from '../src/kafka/connection/security/security.ts'
import { kafka } from './kafka-fixture.ts'

const security: Security = {
  protocol: 'SASL_PLAINTEXT',
  sasl: { mechanism: 'SCRAM-SHA-512', username: 'alice', password: 'alice-secret' },
}
const reauthentication = '../src/kafka/connection/security/reauthentication.ts'

describe.skipIf(kafka === null)('a connection whose session at the broker is short', () => {
  let secured: SecuredKafka

  beforeAll(async () => {
    const started = await startSecuredKafka({ users: { alice: 'alice-secret' } })
    if ('unavailable' in started) throw new Error(started.unavailable)
    secured = started
  })
  afterAll(() => secured?.stop())

  async function connect(): Promise<BrokerConnection> {
    vi.resetModules()
    const { connectToBroker } = await import('../src/kafka/connection/broker-connection.ts')
    const [host, port] = secured.broker.listeners.get('SHORT_SESSION')!.split(':')
    return connectToBroker({ host: host!, port: Number(port) }, defaultKafkaSettings, security)
  }

  /** Asks without a pause, by several at once, for longer than two sessions. */
  async function useForSessions(connection: BrokerConnection): Promise<void> {
    const end = performance.now() + 2.5 * shortSessionMs
    const askOn = async (): Promise<void> => {
      while (performance.now() < end) await connection.request(metadataRequest, [], false, false)
    }
    await Promise.all(Array.from({ length: 5 }, askOn))
  }

  it('outlives its sessions under load, because it authenticates itself again', async () => {
    const connection = await connect()
    await useForSessions(connection)
    expect(connection.usable).toBe(true)
    connection.close()
  })

  it('would be lost if requests were not held back meanwhile', async () => {
    vi.doMock(reauthentication, () => ({ holdingWhileReauthenticating: (connection: unknown) => connection }))
    const connection = await connect()
    await expect(useForSessions(connection)).rejects.toThrow(/did not answer/)
    expect(connection.usable).toBe(false)
    vi.doUnmock(reauthentication)
  })
})
