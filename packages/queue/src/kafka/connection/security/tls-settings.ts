import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import type { ClientSettings } from './client-settings.ts'
import type { TlsSettings } from './security.ts'

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

/** Without a trust store the authorities of Node.js are trusted. Throws `UserError` `invalid_kafka_config`. */
export async function readTls(settings: ClientSettings): Promise<TlsSettings> {
  const trusted = await readTrustStore(settings)
  const keyStore = await readKeyStore(settings)
  const enabledVersions = readVersions(settings)
  const algorithm = settings.get('ssl.endpoint.identification.algorithm') ?? 'https'
  if (algorithm !== '' && algorithm.toLowerCase() !== 'https') {
    const allowed = 'Set https, or nothing to accept a certificate of any name.'
    throw settings.invalid('ssl.endpoint.identification.algorithm', `is "${algorithm}". ${allowed}`)
  }
  try {
    const secureContext = createSecureContext({ ...trusted, ...keyStore?.options, ...enabledVersions })
    return { secureContext, checkServerName: algorithm !== '' }
  } catch (cause) {
    if (!keyStore) throw cause
    throw settings.invalid(keyStore.key, `cannot be used: ${(cause as Error).message}. ${keyStoreForms}`, { cause })
  }
}

/** PEM only: Node.js does not read Java's trust stores. */
async function readTrustStore(settings: ClientSettings): Promise<SecureContextOptions> {
  const inline = settings.get('ssl.truststore.certificates')
  if (inline !== undefined) return { ca: readCertificates(settings, 'ssl.truststore.certificates', inline) }
  const key = 'ssl.truststore.location'
  const location = settings.get(key)
  if (location === undefined) return {}
  const store = await readStoreFile(settings, key, location)
  if (store.form === 'PEM') return { ca: readCertificates(settings, key, store.text) }
  const found =
    store.form === 'unknown' ? 'holds no PEM certificates' : `is a ${store.form} file, which is not supported`
  const convert = `keytool -list -rfc -keystore ${location} > ca.pem`
  throw settings.invalid(key, `${found}. Convert it to a PEM file and name that: ${convert}`)
}

interface KeyStore {
  readonly key: string
  readonly options: SecureContextOptions
}

async function readKeyStore(settings: ClientSettings): Promise<KeyStore | undefined> {
  const chain = settings.get('ssl.keystore.certificate.chain')
  const privateKey = settings.get('ssl.keystore.key')
  if (chain !== undefined || privateKey !== undefined) {
    const key = chain === undefined ? 'ssl.keystore.key' : 'ssl.keystore.certificate.chain'
    return { key, options: readPemIdentity(settings, key, { chain: chain ?? '', privateKey: privateKey ?? '' }) }
  }
  const key = 'ssl.keystore.location'
  const location = settings.get(key)
  if (location === undefined) return undefined
  const store = await readStoreFile(settings, key, location)
  if (store.form === 'PEM') {
    return { key, options: readPemIdentity(settings, key, { chain: store.text, privateKey: store.text }) }
  }
  if (store.form === 'PKCS12') {
    const passphrase = settings.get('ssl.keystore.password') ?? settings.get('ssl.key.password')
    return { key, options: { pfx: store.bytes, ...(passphrase !== undefined && { passphrase }) } }
  }
  const found = store.form === 'JKS' ? 'is a JKS file, which is not supported' : 'is neither PEM nor PKCS12'
  const convert = `keytool -importkeystore -srckeystore ${location} -destkeystore client.p12 -deststoretype PKCS12`
  throw settings.invalid(key, `${found}. Convert it to a PKCS12 file and name that: ${convert}`)
}

function readPemIdentity(
  settings: ClientSettings,
  key: string,
  { chain, privateKey }: { readonly chain: string; readonly privateKey: string },
): SecureContextOptions {
  const [pem, ...more] = pemBlocks(privateKey, 'PRIVATE KEY')
  if (pem === undefined || more.length > 0) {
    const found = pem === undefined ? 'comes without a private key' : 'comes with more than one private key'
    throw settings.invalid(key, `${found}. ${keyStoreForms}`)
  }
  const passphrase = settings.get('ssl.key.password')
  const cert = readCertificates(settings, key, chain).join('')
  return { cert, key: pem, ...(passphrase !== undefined && { passphrase }) }
}

const keyStoreForms =
  'Set ssl.keystore.location to a PKCS12 file and ssl.keystore.password, or to a PEM file with one private key and ' +
  'its certificates; or ssl.keystore.certificate.chain and ssl.keystore.key. ssl.key.password opens an encrypted key.'

type StoreFile =
  | { readonly form: 'PEM'; readonly text: string }
  | { readonly form: 'PKCS12' | 'JKS' | 'unknown'; readonly bytes: Buffer }

/** As in Java, the content decides the form, not the `….type` setting. */
async function readStoreFile(settings: ClientSettings, key: string, location: string): Promise<StoreFile> {
  let bytes: Buffer
  try {
    bytes = await readFile(location)
  } catch (cause) {
    const problem = `names a file that cannot be read: ${(cause as Error).message}.`
    throw settings.invalid(key, `${problem} A relative path starts at the current directory.`, { cause })
  }
  const text = bytes.toString('latin1')
  if (text.includes('-----BEGIN ')) return { form: 'PEM', text }
  const magic = bytes.length < 4 ? 0 : bytes.readUInt32BE(0)
  return { form: magic === jksMagic ? 'JKS' : bytes[0] === derSequence ? 'PKCS12' : 'unknown', bytes }
}

const jksMagic = 0xfeedfeed
const derSequence = 0x30

function readCertificates(settings: ClientSettings, key: string, text: string): string[] {
  const blocks = pemBlocks(text, 'CERTIFICATE')
  if (blocks.length === 0)
    throw settings.invalid(key, 'holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).')
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      throw settings.invalid(key, `holds a damaged certificate: number ${index + 1} of ${blocks.length}.`, { cause })
    }
  }
  return blocks
}

/**
 * PEM blocks (RFC 7468) whose label ends with `label`. OpenSSL does not read their lines joined by blanks, as in a
 * properties file, so they are wrapped again.
 */
function pemBlocks(text: string, label: 'CERTIFICATE' | 'PRIVATE KEY'): string[] {
  const blocks: string[] = []
  for (const [, name, content] of text.matchAll(/-----BEGIN ([A-Z ]+)-----([\s\S]*?)-----END \1-----/g)) {
    if (!name!.endsWith(label)) continue
    // Encryption headers (RFC 1421) end with an empty line and are kept unchanged.
    const [, headers, encoded] = /^((?:\s*[\w-]+: [^\n]*\n)*)([\s\S]*)$/.exec(content!)!
    const lines = encoded!.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []
    const head = headers!.trim() === '' ? [] : [headers!.trim(), '']
    blocks.push([`-----BEGIN ${name}-----`, ...head, ...lines, `-----END ${name}-----`, ''].join('\n'))
  }
  return blocks
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
