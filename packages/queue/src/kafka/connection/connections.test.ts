import { expect, test } from 'vitest'
import type { BrokerConnection } from './broker-connection.ts'
import { BrokerError, NoAnswerError } from './broker-error.ts'
import { createConnections } from './connections.ts'
import { defaultKafkaSettings } from './kafka-settings.ts'
import { metadataRequest } from './requests.ts'
import { plaintextSecurity } from './security/security.ts'

const [one, other] = [1, 2].map((port) => ({ host: 'broker', port }))
const ask = (connection: BrokerConnection) => connection.request(metadataRequest, [], false, false)

/** Connections to brokers that do what is next in the list of a broker. */
function connectionsTo(outcomes: (Error | 'answered')[]) {
  return createConnections(defaultKafkaSettings, plaintextSecurity, async () => ({
    usable: true,
    async request() {
      const outcome = outcomes.shift()
      if (outcome instanceof Error) throw outcome
      return {} as never
    },
    close() {},
  }))
}

test('a broker is silent from a request without an answer to its next answer, on any lane', async () => {
  const connections = connectionsTo([new NoAnswerError('timed out'), 'answered'])
  await expect(ask(await connections.to(one!))).rejects.toThrow('timed out')
  expect(connections.silence(one!)).toBeGreaterThan(0)
  expect(connections.silence(other!)).toBe(0)
  await ask(await connections.to(one!, 'fetch'))
  expect(connections.silence(one!)).toBe(0)
})

test('a broker that answers with an error is not silent', async () => {
  const connections = connectionsTo([new BrokerError(6, 'reading')])
  await expect(ask(await connections.to(one!))).rejects.toThrow('reading')
  expect(connections.silence(one!)).toBe(0)
})

test('a broker is not silent because its connection was closed here', async () => {
  const connections = connectionsTo([new NoAnswerError('it was closed')])
  const connection = await connections.to(one!)
  connection.close()
  await expect(ask(connection)).rejects.toThrow('it was closed')
  expect(connections.silence(one!)).toBe(0)
})

test('of brokers that cannot be reached the last one has been silent later', async () => {
  const connections = createConnections(defaultKafkaSettings, plaintextSecurity, async () => {
    throw new NoAnswerError('refused')
  })
  await expect(connections.to(one!)).rejects.toThrow('refused')
  await expect(connections.to(other!)).rejects.toThrow('refused')
  expect(connections.silence(one!)).toBeGreaterThan(0)
  expect(connections.silence(other!)).toBeGreaterThan(connections.silence(one!))
})
