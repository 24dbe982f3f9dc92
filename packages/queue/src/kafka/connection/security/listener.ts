import { apiVersionsV3, Connection, ResponseError, saslHandshakeV1 } from '@platformatic/kafka'
import { protocolOf, type SecurityProtocol } from './security.ts'

/** What is spoken at a broker's port. */
export interface Listener {
  readonly protocol: SecurityProtocol
  /** SASL mechanisms it takes; none where the protocol has no SASL. */
  readonly mechanisms: readonly string[]
}

/**
 * Finds out what is spoken at a port, after a connection to it has failed in a way that may come of the wrong
 * `security.protocol`. A broker answers ApiVersions and SaslHandshake before it knows who asks (KIP-43), so nothing
 * secret is sent, nor is the broker's certificate checked. `undefined`: it cannot be told.
 */
export async function inspectListener(host: string, port: number, timeoutMs: number): Promise<Listener | undefined> {
  return (await inspect(false)) ?? (await inspect(true))

  async function inspect(tls: boolean): Promise<Listener | undefined> {
    const connection = new Connection('headrace', {
      connectTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      ...(tls && { tls: { rejectUnauthorized: false } }),
    })
    connection.on('error', () => {})
    try {
      await connection.connect(host, port)
      await apiVersionsV3.api.async(connection, 'headrace', '1')
      const { errorCode, mechanisms } = await askForSasl(connection)
      const sasl = errorCode !== illegalSaslState
      return { protocol: protocolOf({ tls, sasl }), mechanisms: sasl ? mechanisms : [] }
    } catch {
      return undefined
    } finally {
      connection.close(() => {})
    }
  }
}

/** What SaslHandshake is answered where there is no SASL. */
export const illegalSaslState = 34

async function askForSasl(connection: Connection): Promise<{ errorCode: number; mechanisms: string[] }> {
  try {
    return await saslHandshakeV1.api.async(connection, 'PLAIN')
  } catch (error) {
    if (error instanceof ResponseError) return responseOf(error)
    throw error
  }
}

/** The answer of which the library made an error because of its error code. */
export function responseOf(error: ResponseError): never {
  return (error as unknown as { response: never }).response
}
