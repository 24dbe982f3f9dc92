import { isIP } from 'node:net'
import { type API, Connection, type ConnectionOptions, ResponseError } from '@platformatic/kafka'
import type { BrokerAddress } from '../../queue-url.ts'
import { NoAnswerError } from './broker-error.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import { explainConnectFailure } from './security/connect-failure.ts'
import { responseOf } from './security/listener.ts'
import { oauthBearer } from './security/oauthbearer/authenticate.ts'
import { holdingWhileReauthenticating } from './security/reauthentication.ts'
import type { Security } from './security/security.ts'

export interface BrokerConnection {
  /** Stays `false` once it was closed or lost. */
  readonly usable: boolean
  /**
   * Buffers may be reused after the call. An answer with an error code is returned, not thrown.
   *
   * @throws {NoAnswerError} the connection was lost or closed, or the request timed out, which closes it.
   * @throws {UserError} as `connectToBroker`: some brokers close a connection only at the first request.
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
  // A slow issuer must not use up the time for connecting.
  if (security.sasl?.mechanism === 'OAUTHBEARER') await security.sasl.tokens.get()
  const connection = new Connection('headrace', {
    connectTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    maxInflights: 1_000,
    ...securityOptions(security, host),
  })
  let socketError: Error | undefined
  // Without a listener a lost socket is an uncaught exception.
  connection.on('error', (error) => {
    socketError = error
  })
  // The reauthentication timer of a lost connection keeps the process running until it is closed.
  connection.on('close', () => void connection.close(() => {}))
  const explain = (cause: unknown): Promise<Error> =>
    explainConnectFailure({ address, security, cause, timeoutMs: settings.connectTimeoutMs })
  try {
    await connection.connect(host, port)
  } catch (error) {
    throw await explain(error)
  }
  const sender = holdingWhileReauthenticating(connection) as Connection
  let accepted = false
  let closed = false

  /** A broker that expects another security protocol may close the connection without an answer. */
  async function explainLoss(error: Error): Promise<Error> {
    if (!accepted && !closed) {
      const explained = await explain(socketError ?? error)
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
          // A broker answers ApiVersions before authentication.
          if (api.key !== apiVersionsKey && (!error || error instanceof ResponseError)) accepted = true
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

function securityOptions({ tls, sasl }: Security, host: string): ConnectionOptions {
  const options: ConnectionOptions = {}
  if (tls) {
    const { secureContext, checkServerName } = tls
    options.tls = { secureContext, ...(!checkServerName && { checkServerIdentity: () => undefined }) }
    // Server Name Indication does not allow IP addresses (RFC 6066).
    if (isIP(host) === 0) options.tlsServerName = host
  }
  if (sasl) options.sasl = sasl.mechanism === 'OAUTHBEARER' ? { ...sasl, authenticate: oauthBearer(sasl) } : { ...sasl }
  return options
}
