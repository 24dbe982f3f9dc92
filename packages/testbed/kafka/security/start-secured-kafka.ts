import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KafkaBroker, type StartKafkaOptions, startOwnKafka } from '../start-kafka.ts'
import { type Authority, createAuthority } from './certificates.ts'
import { securedListeners, securedProperties } from './secured-properties.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface SecuredKafkaOptions extends StartKafkaOptions {
  /** Users and their passwords. Default: none. */
  readonly users?: Readonly<Record<string, string>>
  /** Principals that need no permissions, like `User:alice`. Clients of the plaintext listener never need any. */
  readonly superUsers?: readonly string[]
  /** Whose tokens the listener `OAUTH` accepts. Default: there is no such listener. */
  readonly tokenIssuer?: TokenIssuer
}

export interface SecuredKafka {
  readonly broker: KafkaBroker
  /** Signs the certificates of the broker and of trusted clients. */
  readonly authority: Authority
  /** For files of the test. `stop` removes it. */
  readonly folder: string
  /** Writes a `client.properties` file and returns its path. */
  clientProperties(settings: Readonly<Record<string, string>>): Promise<string>
  /** `kafka://host:port` of a listener. */
  url(listener: SecuredListener | 'PLAINTEXT'): string
  stop(): Promise<void>
}

export type SecuredListener = keyof typeof securedListeners

/**
 * Starts a broker with every security protocol, users who authenticate by PLAIN and SCRAM, and access control lists.
 */
export async function startSecuredKafka(
  options: SecuredKafkaOptions = {},
): Promise<SecuredKafka | { unavailable: string }> {
  const { users = {}, superUsers = [], tokenIssuer, ...more } = options
  const folder = await mkdtemp(join(tmpdir(), 'headrace-security-'))
  const authority = await createAuthority(folder, 'authority')
  const security = await securedProperties({ authority, users, superUsers, tokenIssuer })
  const properties = { ...security, ...options.properties }
  const broker = await startOwnKafka({
    ...more,
    listeners: Object.keys(securedListeners).filter((name) => name !== 'OAUTH' || tokenIssuer),
    ...(tokenIssuer && { javaOptions: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${tokenIssuer.jwksUrl}`] }),
    scramUsers: users,
    properties,
  })
  if ('unavailable' in broker) return broker
  let files = 0

  return {
    broker,
    authority,
    folder,
    async clientProperties(settings) {
      const file = join(folder, `client-${files++}.properties`)
      const lines = Object.entries(settings).map(([key, value]) => `${key}=${escaped(value)}\n`)
      await writeFile(file, lines.join(''))
      return file
    },
    url: (listener) => `kafka://${listener === 'PLAINTEXT' ? broker.bootstrap : broker.listeners.get(listener)}`,
    async stop() {
      await broker.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Escaped for a properties file. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
