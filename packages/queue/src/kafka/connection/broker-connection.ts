import { type API, Connection, ResponseError } from '@platformatic/kafka'
import type { BrokerAddress } from '../../queue-url.ts'
import { NoAnswerError } from './broker-error.ts'
import type { KafkaSettings } from './kafka-settings.ts'

/** One TCP connection to one broker. Requests are answered in the order they were made. */
export interface BrokerConnection {
  /** `false` once it was closed or lost, and for ever. */
  readonly usable: boolean
  /**
   * Sends a request, which is encoded before this returns: its buffers may be used again at once. Error codes are part
   * of the answer.
   *
   * @throws {NoAnswerError} the connection was lost or closed, or the request timed out, which closes it.
   */
  request<Arguments extends unknown[], Answer>(api: API<Arguments, Answer>, ...args: Arguments): Promise<Answer>
  close(): void
}

/** @throws {NoAnswerError} the broker cannot be reached. */
export async function connectToBroker(address: BrokerAddress, settings: KafkaSettings): Promise<BrokerConnection> {
  const { host, port } = address
  const connection = new Connection('headrace', {
    connectTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    maxInflights: 1_000,
  })
  // Without a listener a lost socket would be an uncaught exception. Its requests are told all the same.
  connection.on('error', () => {})
  try {
    await connection.connect(host, port)
  } catch (error) {
    throw new NoAnswerError(`broker ${host}:${port} cannot be reached: ${reason(error)}`, { cause: error })
  }
  return {
    get usable() {
      return connection.isConnected()
    },
    request(api, ...args) {
      return new Promise((resolve, reject) => {
        api(connection, ...args, (error: Error | null, answer?: unknown) => {
          if (!error) resolve(answer as never)
          else if (error instanceof ResponseError) resolve((error as unknown as { response: never }).response)
          else reject(new NoAnswerError(`broker ${host}:${port} did not answer: ${reason(error)}`, { cause: error }))
        })
      })
    },
    close() {
      connection.close().catch(() => {})
    },
  }
}

function reason(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message || String(cause) : message
}
