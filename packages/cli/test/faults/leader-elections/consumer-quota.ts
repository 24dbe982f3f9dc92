import type { Queue } from '@headrace/queue'
import { alterClientQuotasV1, Connection, connectionsApiChannel, fetchV13 } from '@platformatic/kafka'

/** Sets the bytes per second that the clients of a client id may fetch from each node; `undefined`: no limit. */
export async function setConsumerByteRate(address: string, bytesPerSecond: number | undefined): Promise<void> {
  const connection = await connect(address)
  const key = 'consumer_byte_rate' as const
  const quota = {
    entities: [{ entityType: 'client-id' as const, entityName: null }],
    ops: [
      bytesPerSecond === undefined
        ? { key, remove: true as const }
        : { key, value: bytesPerSecond, remove: false as const },
    ],
  }
  await alterClientQuotasV1.api.async(connection, [quota], false)
  await connection.close()
}

async function connect(address: string): Promise<Connection> {
  const connection = new Connection('quota')
  connection.on('error', () => {})
  const [host, port] = address.split(':')
  await connection.connect(host!, Number(port))
  return connection
}

export interface FetchCounts {
  readonly fetches: number
  /** Answers without records because of a quota. */
  readonly throttled: number
}

/** Counts the fetches of this process, and those that were throttled in these queues, until `end` is called. */
export function countFetches(queues: readonly Queue[]): { end(): FetchCounts } {
  let fetches = 0
  const throttledBefore = throttledAnswers(queues)
  const onSend = (request: unknown) => {
    if ((request as { readonly apiKey: number }).apiKey === fetchV13.api.key) fetches++
  }
  connectionsApiChannel.start.subscribe(onSend)
  return {
    end() {
      connectionsApiChannel.start.unsubscribe(onSend)
      return { fetches, throttled: throttledAnswers(queues) - throttledBefore }
    },
  }
}

function throttledAnswers(queues: readonly Queue[]): number {
  const families = queues.flatMap((queue) => queue.metrics())
  const counters = families.filter(({ name }) => name === 'headrace_queue_throttled_answers_total')
  return counters.flatMap(({ samples }) => samples()).reduce((sum, { value }) => sum + value, 0)
}
