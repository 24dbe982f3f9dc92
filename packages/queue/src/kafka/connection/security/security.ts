import type { SecureContext } from 'node:tls'

export type SecurityProtocol = 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL'

export type SaslMechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'

/** How to reach and convince a broker. */
export interface Security {
  readonly protocol: SecurityProtocol
  /** Absent where the protocol has no TLS. */
  readonly tls?: TlsSettings
  /** Absent where the protocol has no SASL. */
  readonly sasl?: SaslCredentials
}

export interface TlsSettings {
  /** Whom to trust and who we are. Made once: reading certificates is not for every connection. */
  readonly secureContext: SecureContext
  /** Whether the broker's certificate must name the host that was connected to. */
  readonly checkServerName: boolean
}

export interface SaslCredentials {
  readonly mechanism: SaslMechanism
  readonly username: string
  readonly password: string
}

/** What holds where no `client.properties` file is given. */
export const plaintextSecurity: Security = { protocol: 'PLAINTEXT' }

export function protocolOf({ tls, sasl }: { readonly tls: boolean; readonly sasl: boolean }): SecurityProtocol {
  if (sasl) return tls ? 'SASL_SSL' : 'SASL_PLAINTEXT'
  return tls ? 'SSL' : 'PLAINTEXT'
}

/** Kafka's name for who we are, as access control lists use it; `undefined` where the broker derives it otherwise. */
export function principalOf({ protocol, sasl }: Security): string | undefined {
  if (sasl) return `User:${sasl.username}`
  return protocol === 'PLAINTEXT' ? 'User:ANONYMOUS' : undefined
}
