import { isIP } from 'node:net'
import type { ConnectionOptions } from '@platformatic/kafka'
import type { Security } from './security.ts'

/** What the library's connection needs to speak TLS and SASL to a host. */
export function connectionOptions({ tls, sasl }: Security, host: string): ConnectionOptions {
  const options: ConnectionOptions = {}
  if (tls) {
    const { secureContext, checkServerName } = tls
    options.tls = { secureContext, ...(!checkServerName && { checkServerIdentity: () => undefined }) }
    // Server Name Indication is for names alone (RFC 6066).
    if (isIP(host) === 0) options.tlsServerName = host
  }
  if (sasl) options.sasl = { ...sasl }
  return options
}
