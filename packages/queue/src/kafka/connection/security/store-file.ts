import { readFile } from 'node:fs/promises'
import type { ClientSettings } from './client-settings.ts'

/** A file of certificates and keys. */
export type StoreFile =
  | { readonly form: 'PEM'; readonly text: string }
  | { readonly form: 'PKCS12' | 'JKS' | 'unknown'; readonly bytes: Buffer }

/**
 * Reads the file that a `….location` setting names, relative to the current directory. What is in it says its form: as
 * in Java, a PKCS12 file is also taken where the type, or its default, says JKS.
 *
 * @throws {UserError} `invalid_kafka_config`.
 */
export async function readStoreFile(settings: ClientSettings, key: string, location: string): Promise<StoreFile> {
  let bytes: Buffer
  try {
    bytes = await readFile(location)
  } catch (cause) {
    const reason = (cause as Error).message
    throw settings.invalid(key, `names a file that cannot be read: ${reason}. ${relativePaths}`, { cause })
  }
  const text = bytes.toString('latin1')
  if (text.includes('-----BEGIN ')) return { form: 'PEM', text }
  const magic = bytes.length < 4 ? 0 : bytes.readUInt32BE(0)
  return { form: magic === jksMagic ? 'JKS' : bytes[0] === derSequence ? 'PKCS12' : 'unknown', bytes }
}

const relativePaths = 'A relative path is taken from the current directory.'
const jksMagic = 0xfeedfeed
const derSequence = 0x30
