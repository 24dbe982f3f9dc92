import { expect, test } from 'vitest'
import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { NoAnswerError } from './broker-error.ts'
import type { Connections } from './connections.ts'
import { createCoordinators } from './coordinators.ts'
import type { Metadata } from './metadata.ts'

/** The coordinator that each of the brokers 1 to 3 names. `away`: it does not answer. The client asks 1 first. */
function createBrokers(named: Record<number, number | 'away'>) {
  const addressOf = (port: number): BrokerAddress => ({ host: 'broker', port })
  const connections = {
    async to({ port }: BrokerAddress) {
      const nodeId = named[port]
      if (nodeId === 'away') throw new NoAnswerError(`broker ${port} is away`)
      const request = async () => ({ coordinators: [{ nodeId, host: 'broker', port: nodeId, errorCode: 0 }] })
      return { request } as unknown as BrokerConnection
    },
  } as Connections
  const metadata = {
    anyBroker: () => connections.to(addressOf(1)),
    nodes: () => [1, 2, 3],
    address: addressOf,
    addBroker() {},
  } as unknown as Metadata
  return createCoordinators(metadata, connections)
}

test('a coordinator is looked up again after it was forgotten', async () => {
  const named = { 1: 1, 2: 2, 3: 2 }
  const coordinators = createBrokers(named)
  expect(await coordinators.find('id')).toBe(1)
  named[1] = 3
  expect(await coordinators.find('id')).toBe(1)
  coordinators.forget('id', { suspected: false })
  expect(await coordinators.find('id')).toBe(3)
})

test('a suspected coordinator is replaced by the one that most brokers name', async () => {
  const coordinators = createBrokers({ 1: 1, 2: 2, 3: 2 })
  expect(await coordinators.find('id')).toBe(1)
  coordinators.forget('id', { suspected: true })
  expect(await coordinators.find('id')).toBe(2)
})

test('a tie between two coordinators is decided against the suspected one', async () => {
  const coordinators = createBrokers({ 1: 1, 2: 'away', 3: 2 })
  expect(await coordinators.find('id')).toBe(1)
  coordinators.forget('id', { suspected: true })
  expect(await coordinators.find('id')).toBe(2)
})

test('a coordinator is confirmed by most brokers', async () => {
  const named: Record<number, number | 'away'> = { 1: 1, 2: 1, 3: 'away' }
  const coordinators = createBrokers(named)
  expect(await coordinators.find('id')).toBe(1)
  expect(await coordinators.confirm('id')).toBe(true)
  named[2] = named[3] = 2
  expect(await coordinators.confirm('id')).toBe(false)
  expect(await coordinators.find('id')).toBe(2)
})

test('a coordinator that no broker names is a transient error', async () => {
  const named: Record<number, number | 'away'> = { 1: 1, 2: 1, 3: 1 }
  const coordinators = createBrokers(named)
  await coordinators.find('id')
  coordinators.forget('id', { suspected: true })
  named[1] = named[2] = named[3] = 'away'
  await expect(coordinators.find('id')).rejects.toThrow(NoAnswerError)
})
