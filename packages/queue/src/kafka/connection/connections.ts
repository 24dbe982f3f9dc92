import type { BrokerAddress } from '../../queue-url.ts'
import { type BrokerConnection, connectToBroker } from './broker-connection.ts'
import { NoAnswerError } from './broker-error.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import type { Security } from './security/security.ts'

/**
 * Connections by broker and lane. A broker answers the requests of one connection one after the other, so what may
 * wait there, a long poll, or must keep its order, a writer, has a lane of its own.
 */
export interface Connections {
  /** The open connection of a lane, made where there is none. Default lane: the one for quick requests. */
  to(address: BrokerAddress, lane?: string): Promise<BrokerConnection>
  /** A connection that nobody else uses until it is released. */
  borrow(address: BrokerAddress): Promise<{ connection: BrokerConnection; release: () => void }>
  /** Closes the connections of a lane to every broker. */
  closeLane(lane: string): void
  close(): void
}

interface Lane {
  readonly lane: string
  readonly opening: Promise<BrokerConnection>
  connection: BrokerConnection | undefined
}

export function createConnections(settings: KafkaSettings, security: Security): Connections {
  const lanes = new Map<string, Lane>()
  const idle = new Map<string, string[]>()
  let borrowed = 0
  let isClosed = false

  async function to(address: BrokerAddress, lane = 'shared'): Promise<BrokerConnection> {
    if (isClosed) throw new NoAnswerError('the queue is closed')
    const key = `${address.host}:${address.port}/${lane}`
    const existing = lanes.get(key)
    if (existing && existing.connection?.usable !== false) return existing.opening
    const opened: Lane = { lane, opening: connectToBroker(address, settings, security), connection: undefined }
    lanes.set(key, opened)
    try {
      opened.connection = await opened.opening
    } catch (error) {
      if (lanes.get(key) === opened) lanes.delete(key)
      throw error
    }
    if (lanes.get(key) !== opened) opened.connection.close()
    return opened.connection
  }

  return {
    to,
    async borrow(address) {
      const key = `${address.host}:${address.port}`
      const free = idle.get(key) ?? []
      idle.set(key, free)
      const lane = free.pop() ?? `borrowed-${borrowed++}`
      try {
        const connection = await to(address, lane)
        return { connection, release: () => free.push(lane) }
      } catch (error) {
        free.push(lane)
        throw error
      }
    },
    closeLane(lane) {
      for (const [key, opened] of lanes) {
        if (opened.lane !== lane) continue
        lanes.delete(key)
        opened.connection?.close()
      }
    },
    close() {
      isClosed = true
      for (const { connection } of lanes.values()) connection?.close()
      lanes.clear()
    },
  }
}
