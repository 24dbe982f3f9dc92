import { X509Certificate } from 'node:crypto'
import type { ClientSettings } from './client-settings.ts'
import { pemBlocks } from './pem.ts'

/**
 * The certificates in the text of a setting, or in the file that it names.
 *
 * @throws {UserError} `invalid_kafka_config`: there is none, or a damaged one.
 */
export function certificates(settings: ClientSettings, key: string, text: string): string[] {
  const blocks = pemBlocks(text, 'CERTIFICATE')
  if (blocks.length === 0)
    throw settings.invalid(key, 'holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).')
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      throw settings.invalid(key, `holds a damaged certificate, the ${ordinal(index + 1)} in it.`, { cause })
    }
  }
  return blocks
}

function ordinal(number: number): string {
  return `${number}${['st', 'nd', 'rd'][number - 1] ?? 'th'}`
}
