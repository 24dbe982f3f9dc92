import { crc32 } from 'node:zlib'
import { UserError } from '../errors.ts'

/**
 * Whether a whole message of format v0 or v1 lies there, which clients before Kafka 0.11 wrote: it has its own
 * checksum, a CRC-32 of what lies from the format version on. The version lies where it does in a batch.
 */
export function isOldMessage(bytes: Uint8Array, start: number, end: number): boolean {
  const version = start + oldLayout.magic
  if (bytes[version]! > 1 || end <= version || end > bytes.length) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(start + oldLayout.checksum) === crc32(bytes.subarray(version, end))
}

const oldLayout = { checksum: 12, magic: 16 } as const

export function oldMessageError(where: string, version: number): UserError {
  return new UserError(
    'unsupported_batch',
    `The message at ${where} is of format v${version}, which clients before Kafka 0.11 wrote; only v2 can be read. ` +
      'Copy the topic with a newer client.',
  )
}
