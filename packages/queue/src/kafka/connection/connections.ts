import { type BrokerAddress, formatBroker } from '../../queue-url.ts'
import { type BrokerConnection, connectToBroker } from './broker-connection.ts'
import { NoAnswerError } from './broker-error.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import type { Security } from './security/security.ts'

/** A broker answers one connection in order, so long polls and writers have separate connections, called lanes. */
export interface Connections {
  /** Default lane: the one for quick requests. */
  to(address: BrokerAddress, lane?: string): Promise<BrokerConnection>
  /** Returns a connection for exclusive use until `release` is called. */
  borrow(address: BrokerAddress): Promise<{ connection: BrokerConnection; release: () => void }>
  /** Monotonic time of the last failure, in ms. 0 after an answer of the broker on any lane, or after a minute. */
  lastFailure(address: BrokerAddress): number
  closeLane(lane: string): void
  close(): void
}

interface Lane {
  readonly lane: string
  readonly opening: Promise<BrokerConnection>
  connection: BrokerConnection | undefined
}

export function createConnections(
  settings: KafkaSettings,
  security: Security,
  connect: typeof connectToBroker = connectToBroker,
): Connections {
  const lanes = new Map<string, Lane>()
  const idle = new Map<string, string[]>()
  const failures = new Map<string, number>()
  let borrowed = 0
  let isClosed = false

  async function to(address: BrokerAddress, lane = 'shared'): Promise<BrokerConnection> {
    if (isClosed) throw new NoAnswerError('the queue is closed')
    const broker = formatBroker(address)
    const key = `${broker}/${lane}`
    const existing = lanes.get(key)
    if (existing && existing.connection?.usable !== false) return existing.opening
    const opened: Lane = { lane, opening: open(address), connection: undefined }
    lanes.set(key, opened)
    try {
      opened.connection = await opened.opening
    } catch (error) {
      if (lanes.get(key) === opened) lanes.delete(key)
      failures.set(broker, performance.now())
      throw error
    }
    if (lanes.get(key) !== opened) opened.connection.close()
    return opened.connection
  }

  async function open(address: BrokerAddress): Promise<BrokerConnection> {
    const broker = formatBroker(address)
    const connection = await connect(address, settings, security)
    let closed = false
    return {
      get usable() {
        return connection.usable
      },
      async request(api, ...args) {
        try {
          const answer = await connection.request(api, ...args)
          failures.delete(broker)
          return answer
        } catch (error) {
          if (!closed && error instanceof NoAnswerError) failures.set(broker, performance.now())
          throw error
        }
      },
      close() {
        closed = true
        connection.close()
      },
    }
  }

  return {
    to,
    lastFailure(address) {
      const failedAt = failures.get(formatBroker(address)) ?? 0
      return performance.now() - failedAt < rememberedMs ? failedAt : 0
    },
    async borrow(address) {
      const key = formatBroker(address)
      const free = idle.get(key) ?? []
      idle.set(key, free)
      const lane = free.pop() ?? `borrowed-${borrowed++}`
      const release = (): void => void free.push(lane)
      try {
        return { connection: await to(address, lane), release }
      } catch (error) {
        release()
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

const rememberedMs = 60_000
