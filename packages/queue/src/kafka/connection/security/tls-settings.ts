import { createSecureContext, type SecureVersion } from 'node:tls'
import type { ClientSettings } from './client-settings.ts'
import { keyStoreForms, readKeyStore } from './key-store.ts'
import type { TlsSettings } from './security.ts'
import { readTrustStore } from './trust-store.ts'

export const tlsKeys: readonly string[] = [
  'ssl.truststore.location',
  'ssl.truststore.type',
  'ssl.truststore.password',
  'ssl.truststore.certificates',
  'ssl.keystore.location',
  'ssl.keystore.type',
  'ssl.keystore.password',
  'ssl.keystore.certificate.chain',
  'ssl.keystore.key',
  'ssl.key.password',
  'ssl.enabled.protocols',
  'ssl.endpoint.identification.algorithm',
]

/**
 * Whom to trust, who we are and which versions of TLS to speak. Without a trust store: whom Node.js trusts.
 *
 * @throws {UserError} `invalid_kafka_config`.
 */
export async function readTls(settings: ClientSettings): Promise<TlsSettings> {
  const trusted = await readTrustStore(settings)
  const own = await readKeyStore(settings)
  const versions = readVersions(settings)
  const algorithm = settings.get('ssl.endpoint.identification.algorithm') ?? 'https'
  if (algorithm !== '' && algorithm.toLowerCase() !== 'https') {
    const allowed = 'Set https, or nothing to take a certificate of any name.'
    throw settings.invalid('ssl.endpoint.identification.algorithm', `is "${algorithm}". ${allowed}`)
  }
  try {
    const secureContext = createSecureContext({ ...trusted, ...own?.options, ...versions })
    return { secureContext, checkServerName: algorithm !== '' }
  } catch (cause) {
    if (!own) throw cause
    throw settings.invalid(own.key, `cannot be used: ${(cause as Error).message}. ${keyStoreForms}`, { cause })
  }
}

function readVersions(settings: ClientSettings): { minVersion: SecureVersion; maxVersion: SecureVersion } {
  const key = 'ssl.enabled.protocols'
  const names = (settings.get(key) ?? versions.join(',')).split(',').map((name) => name.trim())
  const unknown = names.find((name) => !versions.includes(name as SecureVersion))
  if (unknown !== undefined) throw settings.invalid(key, `has "${unknown}". Set ${versions.join(', ')} or both.`)
  const enabled = versions.filter((version) => names.includes(version))
  return { minVersion: enabled[0]!, maxVersion: enabled.at(-1)! }
}

const versions: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']
