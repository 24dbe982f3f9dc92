import { type API, Connection, ResponseError } from '@platformatic/kafka'
import type { BrokerAddress } from '../../queue-url.ts'
import { NoAnswerError } from './broker-error.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import { explainConnectFailure } from './security/connect-failure.ts'
import { connectionOptions } from './security/connection-options.ts'
import { responseOf } from './security/listener.ts'
import { holdingWhileReauthenticating } from './security/reauthentication.ts'
import type { Security } from './security/security.ts'

/** One TCP connection to one broker. Requests are answered in the order they were made. */
export interface BrokerConnection {
  /** `false` once it was closed or lost, and for ever. */
  readonly usable: boolean
  /**
   * Sends a request, which is encoded before this returns: its buffers may be used again at once. Error codes are part
   * of the answer.
   *
   * @throws {NoAnswerError} the connection was lost or closed, or the request timed out, which closes it.
   * @throws {UserError} as `connectToBroker`, where only the first request shows it.
   */
  request<Arguments extends unknown[], Answer>(api: API<Arguments, Answer>, ...args: Arguments): Promise<Answer>
  close(): void
}

/**
 * @throws {NoAnswerError} the broker cannot be reached.
 * @throws {UserError} `authentication_failed`, `tls_failed` or `wrong_security_protocol`.
 */
export async function connectToBroker(
  address: BrokerAddress,
  settings: KafkaSettings,
  security: Security,
): Promise<BrokerConnection> {
  const { host, port } = address
  const connection = new Connection('headrace', {
    connectTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    maxInflights: 1_000,
    ...connectionOptions(security, host),
  })
  let lost: Error | undefined
  // Without a listener a lost socket would be an uncaught exception. Its requests are told all the same.
  connection.on('error', (error) => {
    lost = error
  })
  // A lost connection keeps its timer for authenticating again, and with it the process, until it is closed.
  connection.on('close', () => void connection.close(() => {}))
  const explain = (cause: unknown): Promise<Error> =>
    explainConnectFailure({ address, security, cause, timeoutMs: settings.connectTimeoutMs })
  try {
    await connection.connect(host, port)
  } catch (error) {
    throw await explain(error)
  }
  const sender = holdingWhileReauthenticating(connection) as Connection
  let proven = false
  let closed = false

  /** A broker also closes a connection whose security it did not expect, and says nothing. */
  async function explainLoss(error: Error): Promise<Error> {
    if (!proven && !closed) {
      const explained = await explain(lost ?? error)
      if (!(explained instanceof NoAnswerError)) return explained
    }
    const { message, cause } = error
    const reason = cause instanceof Error ? cause.message || String(cause) : message
    return new NoAnswerError(`broker ${host}:${port} did not answer: ${reason}`, { cause: error })
  }

  return {
    get usable() {
      return connection.isConnected() || connection.status === 'reauthenticating'
    },
    request(api, ...args) {
      return new Promise((resolve, reject) => {
        api(sender, ...args, (error: Error | null, answer?: unknown) => {
          // ApiVersions is answered before a broker wants to know who asks.
          if (api.key !== apiVersionsKey && (!error || error instanceof ResponseError)) proven = true
          if (!error) resolve(answer as never)
          else if (error instanceof ResponseError) resolve(responseOf(error))
          else explainLoss(error).then(reject, reject)
        })
      })
    },
    close() {
      closed = true
      connection.close().catch(() => {})
    },
  }
}

const apiVersionsKey = 18
