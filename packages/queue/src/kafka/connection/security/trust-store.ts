import type { SecureContextOptions } from 'node:tls'
import { certificates } from './certificates.ts'
import type { ClientSettings } from './client-settings.ts'
import { readStoreFile } from './store-file.ts'

/**
 * Whose signature on a broker's certificate is trusted: PEM only, because Node.js reads no trust stores of Java.
 *
 * @throws {UserError} `invalid_kafka_config`.
 */
export async function readTrustStore(settings: ClientSettings): Promise<SecureContextOptions> {
  const inline = settings.get('ssl.truststore.certificates')
  if (inline !== undefined) return { ca: certificates(settings, 'ssl.truststore.certificates', inline) }
  const key = 'ssl.truststore.location'
  const location = settings.get(key)
  if (location === undefined) return {}
  const store = await readStoreFile(settings, key, location)
  if (store.form === 'PEM') return { ca: certificates(settings, key, store.text) }
  const found =
    store.form === 'unknown' ? 'holds no PEM certificates' : `is a ${store.form} file, which is not read here`
  throw settings.invalid(
    key,
    `${found}. Make a PEM file of it and name that: keytool -list -rfc -keystore ${location} > ca.pem`,
  )
}
