import type { SecureContext } from 'node:tls'
import type { TokenSource } from './oauthbearer/token-source.ts'

export const securityProtocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
export type SecurityProtocol = (typeof securityProtocols)[number]

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const

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

export type SaslCredentials = PasswordCredentials | OAuthBearerCredentials

export interface PasswordCredentials {
  readonly mechanism: Exclude<(typeof saslMechanisms)[number], 'OAUTHBEARER'>
  readonly username: string
  readonly password: string
}

export interface OAuthBearerCredentials {
  readonly mechanism: 'OAUTHBEARER'
  readonly tokens: TokenSource
  /** Sent with each token (KIP-342). */
  readonly extensions: Readonly<Record<string, string>>
}

export const plaintextSecurity: Security = { protocol: 'PLAINTEXT' }

/** This client as access control lists name it; `undefined` where only the broker knows. */
export function principalOf({ protocol, sasl }: Security): string | undefined {
  if (sasl) return sasl.mechanism === 'OAUTHBEARER' ? undefined : `User:${sasl.username}`
  return protocol === 'PLAINTEXT' ? 'User:ANONYMOUS' : undefined
}
