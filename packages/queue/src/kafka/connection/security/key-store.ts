import type { SecureContextOptions } from 'node:tls'
import { certificates } from './certificates.ts'
import type { ClientSettings } from './client-settings.ts'
import { pemBlocks } from './pem.ts'
import { readStoreFile } from './store-file.ts'

/** Who we are, and the setting that says so. */
export interface KeyStore {
  readonly key: string
  readonly options: SecureContextOptions
}

/**
 * The certificate and the private key by which a broker knows us (mutual TLS).
 *
 * @throws {UserError} `invalid_kafka_config`.
 */
export async function readKeyStore(settings: ClientSettings): Promise<KeyStore | undefined> {
  const chain = settings.get('ssl.keystore.certificate.chain')
  const privateKey = settings.get('ssl.keystore.key')
  const password = settings.get('ssl.key.password')
  if (chain !== undefined || privateKey !== undefined) {
    const key = chain === undefined ? 'ssl.keystore.key' : 'ssl.keystore.certificate.chain'
    return { key, options: pemIdentity(settings, { key, chain: chain ?? '', privateKey: privateKey ?? '', password }) }
  }
  const key = 'ssl.keystore.location'
  const location = settings.get(key)
  if (location === undefined) return undefined
  const store = await readStoreFile(settings, key, location)
  if (store.form === 'PEM') {
    return { key, options: pemIdentity(settings, { key, chain: store.text, privateKey: store.text, password }) }
  }
  if (store.form === 'PKCS12') {
    const passphrase = settings.get('ssl.keystore.password') ?? password
    return { key, options: { pfx: store.bytes, ...(passphrase !== undefined && { passphrase }) } }
  }
  const found = store.form === 'JKS' ? 'is a JKS file, which is not read here' : 'is neither PEM nor PKCS12'
  const convert = `keytool -importkeystore -srckeystore ${location} -destkeystore client.p12 -deststoretype PKCS12`
  throw settings.invalid(key, `${found}. Make a PKCS12 file of it and name that: ${convert}`)
}

/** Who we are: a certificate, followed by those that vouch for it, and its private key. */
function pemIdentity(
  settings: ClientSettings,
  {
    key,
    chain,
    privateKey,
    password,
  }: { key: string; chain: string; privateKey: string; password?: string | undefined },
): SecureContextOptions {
  const [pem, ...more] = pemBlocks(privateKey, 'PRIVATE KEY')
  if (pem === undefined || more.length > 0) {
    const found = pem === undefined ? 'comes without a private key' : 'comes with more than one private key'
    throw settings.invalid(key, `${found}. ${keyStoreForms}`)
  }
  const options = { cert: certificates(settings, key, chain).join(''), key: pem }
  return password === undefined ? options : { ...options, passphrase: password }
}

export const keyStoreForms: string =
  'Set ssl.keystore.location to a PKCS12 file and ssl.keystore.password, or to a PEM file with one private key and ' +
  'its certificates; or ssl.keystore.certificate.chain and ssl.keystore.key. ssl.key.password opens an encrypted key.'
