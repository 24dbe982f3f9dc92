import type { SecureContext } from 'node:tls'

export const securityProtocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
export type SecurityProtocol = (typeof securityProtocols)[number]

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

export interface Security {
  readonly protocol: SecurityProtocol
  readonly tls?: TlsSettings
  readonly sasl?: SaslCredentials
}

export interface TlsSettings {
  /** Trusted authorities and this client's certificate. */
  readonly secureContext: SecureContext
  readonly checkServerName: boolean
}

export interface SaslCredentials {
  readonly mechanism: (typeof saslMechanisms)[number]
  readonly username: string
  readonly password: string
}

export const plaintextSecurity: Security = { protocol: 'PLAINTEXT' }

/** This client as access control lists name it; `undefined` where only the broker knows. */
export function principalOf({ protocol, sasl }: Security): string | undefined {
  if (sasl) return `User:${sasl.username}`
  return protocol === 'PLAINTEXT' ? 'User:ANONYMOUS' : undefined
}
