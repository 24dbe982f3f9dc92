import { expect, test } from 'vitest'
import type { BrokerConnection } from './broker-connection.ts'
import { BrokerError, NoAnswerError } from './broker-error.ts'
import { createConnections } from './connections.ts'
import { defaultKafkaSettings } from './kafka-settings.ts'
import { metadataV12 } from './requests.ts'
import { plaintextSecurity } from './security/security.ts'

const [one, other] = [1, 2].map((port) => ({ host: 'broker', port }))
const ask = (connection: BrokerConnection) => connection.request(metadataV12.api, [], false, false)

/** Connections whose requests have these outcomes, in order. */
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

test('a failure of a broker counts from a request without an answer to its next answer, on any lane', async () => {
  const connections = connectionsTo([new NoAnswerError('timed out'), 'answered'])
  await expect(ask(await connections.to(one!))).rejects.toThrow('timed out')
  expect(connections.lastFailure(one!)).toBeGreaterThan(0)
  expect(connections.lastFailure(other!)).toBe(0)
  await ask(await connections.to(one!, 'fetch'))
  expect(connections.lastFailure(one!)).toBe(0)
})

test('an answer with an error code does not count as a failure of the broker', async () => {
  const connections = connectionsTo([new BrokerError(6, 'reading')])
  await expect(ask(await connections.to(one!))).rejects.toThrow('reading')
  expect(connections.lastFailure(one!)).toBe(0)
})

test('a connection that is closed by the client does not count as a failure of the broker', async () => {
  const connections = connectionsTo([new NoAnswerError('it was closed')])
  const connection = await connections.to(one!)
  connection.close()
  await expect(ask(connection)).rejects.toThrow('it was closed')
  expect(connections.lastFailure(one!)).toBe(0)
})

test('the broker that was tried last has the newest failure', async () => {
  const connections = createConnections(defaultKafkaSettings, plaintextSecurity, async () => {
    throw new NoAnswerError('refused')
  })
  await expect(connections.to(one!)).rejects.toThrow('refused')
  await expect(connections.to(other!)).rejects.toThrow('refused')
  expect(connections.lastFailure(one!)).toBeGreaterThan(0)
  expect(connections.lastFailure(other!)).toBeGreaterThan(connections.lastFailure(one!))
})
