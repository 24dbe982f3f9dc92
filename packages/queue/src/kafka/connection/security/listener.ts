import { apiVersionsV3, Connection, ResponseError, saslHandshakeV1 } from '@platformatic/kafka'
import type { SecurityProtocol } from './security.ts'

export interface Listener {
  readonly protocol: SecurityProtocol
  readonly mechanisms: readonly string[]
}

/**
 * Detects the protocol of a broker's port after a connection has failed. A broker answers ApiVersions and SaslHandshake
 * before authentication (KIP-43), so no secret is sent, and the broker's certificate is not checked.
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
      const { errorCode, mechanisms } = await saslHandshakeV1.api.async(connection, 'PLAIN').catch((error: unknown) => {
        if (error instanceof ResponseError) return responseOf(error)
        throw error
      })
      if (errorCode === illegalSaslState) return { protocol: tls ? 'SSL' : 'PLAINTEXT', mechanisms: [] }
      return { protocol: tls ? 'SASL_SSL' : 'SASL_PLAINTEXT', mechanisms }
    } catch {
      return undefined
    } finally {
      connection.close(() => {})
    }
  }
}

/** From a listener without SASL. */
export const illegalSaslState = 34

/** The library throws an answer with an error code as an error. */
export function responseOf(error: ResponseError): never {
  return (error as unknown as { response: never }).response
}
