import type { Authority, Identity } from './certificates.ts'
import { issuerClient, type TokenIssuer } from './token-issuer.ts'

/**
 * Listeners of the secured broker, and their protocols. `EXPIRED` and `WRONG_NAME` present such a certificate, and
 * `MUTUAL` requires a client certificate. Sessions at `SHORT_SESSION` must be renewed every few seconds, as those at `OAUTH`, which accepts
 * the tokens of an issuer.
 */
export const securedListeners = {
  SSL: 'SSL',
  SASL_PLAINTEXT: 'SASL_PLAINTEXT',
  SASL_SSL: 'SASL_SSL',
  WRONG_NAME: 'SSL',
  EXPIRED: 'SSL',
  MUTUAL: 'SSL',
  SHORT_SESSION: 'SASL_PLAINTEXT',
  OAUTH: 'SASL_PLAINTEXT',
} as const

const protocols = { PLAINTEXT: 'PLAINTEXT', CONTROLLER: 'PLAINTEXT', INTERNAL: 'PLAINTEXT', ...securedListeners }

/** Lifetime of a session at the listeners `SHORT_SESSION` and `OAUTH`. */
export const shortSessionMs = 3_000

export interface SecuredPropertiesOptions {
  readonly authority: Authority
  readonly users: Readonly<Record<string, string>>
  readonly superUsers: readonly string[]
  readonly tokenIssuer: TokenIssuer | undefined
}

/** The part of `server.properties` that configures security. */
export async function securedProperties(options: SecuredPropertiesOptions): Promise<Record<string, string>> {
  const { authority, users, superUsers, tokenIssuer } = options
  const names = 'DNS:localhost,IP:127.0.0.1'
  const subject = '/CN=broker'
  const identities: Record<string, Identity> = {
    SSL: await authority.sign({ subject, names }),
    WRONG_NAME: await authority.sign({ subject, names: 'DNS:elsewhere.example' }),
    EXPIRED: await authority.sign({ subject, names, days: -1 }),
  }
  const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']
  const properties: Record<string, string> = {
    'listener.security.protocol.map': Object.entries(protocols)
      .map(([listener, protocol]) => `${listener}:${protocol}`)
      .join(','),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': ['User:ANONYMOUS', ...superUsers].join(';'),
    'sasl.enabled.mechanisms': mechanisms.join(','),
  }
  for (const [listener, protocol] of Object.entries(protocols)) {
    const prefix = `listener.name.${listener.toLowerCase()}`
    if (protocol.endsWith('SSL')) {
      const { certificate, key } = identities[listener] ?? identities.SSL!
      properties[`${prefix}.ssl.keystore.type`] = 'PEM'
      properties[`${prefix}.ssl.keystore.certificate.chain`] = joined(certificate)
      properties[`${prefix}.ssl.keystore.key`] = joined(key)
    }
    for (const mechanism of protocol.startsWith('SASL') && listener !== 'OAUTH' ? mechanisms : []) {
      const ofMechanism = `${prefix}.${mechanism.toLowerCase()}`
      properties[`${ofMechanism}.sasl.jaas.config`] = serverJaasConfig(mechanism, users)
      if (listener === 'SHORT_SESSION') properties[`${ofMechanism}.connections.max.reauth.ms`] = `${shortSessionMs}`
    }
  }
  return {
    ...properties,
    ...(tokenIssuer && oauthProperties(tokenIssuer)),
    'listener.name.mutual.ssl.client.auth': 'required',
    'listener.name.mutual.ssl.truststore.type': 'PEM',
    'listener.name.mutual.ssl.truststore.certificates': joined(authority.certificate),
  }
}

/** Kafka's own check of tokens (KIP-768). */
function oauthProperties({ jwksUrl }: TokenIssuer): Record<string, string> {
  const prefix = 'listener.name.oauth'
  const classes = 'org.apache.kafka.common.security.oauthbearer'
  return {
    [`${prefix}.sasl.enabled.mechanisms`]: 'OAUTHBEARER',
    [`${prefix}.oauthbearer.sasl.server.callback.handler.class`]: `${classes}.OAuthBearerValidatorCallbackHandler`,
    [`${prefix}.oauthbearer.sasl.jaas.config`]: `${classes}.OAuthBearerLoginModule required;`,
    [`${prefix}.oauthbearer.connections.max.reauth.ms`]: `${shortSessionMs}`,
    [`${prefix}.sasl.oauthbearer.jwks.endpoint.url`]: jwksUrl,
    [`${prefix}.sasl.oauthbearer.expected.audience`]: issuerClient.audience,
    [`${prefix}.sasl.oauthbearer.expected.issuer`]: new URL(jwksUrl).origin,
    [`${prefix}.sasl.oauthbearer.clock.skew.seconds`]: '5',
  }
}

function serverJaasConfig(mechanism: string, users: Readonly<Record<string, string>>): string {
  if (mechanism !== 'PLAIN') return 'org.apache.kafka.common.security.scram.ScramLoginModule required;'
  const known = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`)
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${known.join(' ')};`
}

/** PEM on one line of a properties file. */
function joined(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n')
}
