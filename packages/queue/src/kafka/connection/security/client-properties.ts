import { readFile } from 'node:fs/promises'
import { UserError } from '../../../errors.ts'
import { type Logger, silentLogger } from '../../../logger.ts'
import { compressionKeys, readCompression } from '../compression-settings.ts'
import type { KafkaSettings } from '../kafka-settings.ts'
import { type ClientSettings, parseClientSettings } from './client-settings.ts'
import { oauthBearerKeys } from './oauthbearer/oauthbearer-settings.ts'
import { readSasl, saslKeys } from './sasl-settings.ts'
import { type Security, type SecurityProtocol, securityProtocols } from './security.ts'
import { readTls, tlsKeys } from './tls-settings.ts'

export interface ClientProperties {
  readonly security: Security
  readonly settings: Partial<KafkaSettings>
}

/**
 * As Kafka's own tools do: in Latin-1, with paths relative to the current directory. Ignores settings that concern
 * neither security nor compression, or that the protocol does not use.
 *
 * @throws {UserError} `invalid_kafka_config` with file and line. No password is in a message.
 */
export async function readClientProperties(file: string, log: Logger = silentLogger): Promise<ClientProperties> {
  const settings = parseClientSettings(await readText(file), file)
  const [provider] = settings.keysStartingWith('config.providers')
  if (provider !== undefined) {
    const instead = 'Write the values into the file, and let only its owner read it.'
    throw settings.invalid(provider, `is not supported. ${instead}`)
  }
  const protocol = readProtocol(settings)
  const tls = protocol.endsWith('SSL')
  const sasl = protocol.startsWith('SASL')
  refuseUnsupported(settings, 'compression.', compressionKeys)
  refuseUnsupported(settings, 'headrace.', oauthBearerKeys)
  if (tls) refuseUnsupported(settings, 'ssl.', tlsKeys)
  if (sasl) refuseUnsupported(settings, 'sasl.', saslKeys)
  const security = {
    protocol,
    ...(tls && { tls: await readTls(settings) }),
    ...(sasl && { sasl: await readSasl(settings, log) }),
  }
  return { security, settings: readCompression(settings) }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1')
  } catch (cause) {
    const reason = (cause as Error).message
    throw new UserError('invalid_kafka_config', `The Kafka configuration cannot be read: ${reason}.`, { cause })
  }
}

function readProtocol(settings: ClientSettings): SecurityProtocol {
  const found = settings.get('security.protocol') ?? 'PLAINTEXT'
  const protocol = securityProtocols.find((name) => name === found.trim().toUpperCase())
  if (protocol) return protocol
  throw settings.invalid('security.protocol', `is "${found}". Set one of ${securityProtocols.join(', ')}.`)
}

/** Ignoring such a setting could make the connection less secure, or the topic larger, than its author expects. */
function refuseUnsupported(settings: ClientSettings, prefix: string, supported: readonly string[]): void {
  const key = settings.keysStartingWith(prefix).find((key) => !supported.includes(key))
  if (key === undefined) return
  throw settings.invalid(key, `is not supported. Remove it. Supported: ${supported.join(', ')}.`)
}
