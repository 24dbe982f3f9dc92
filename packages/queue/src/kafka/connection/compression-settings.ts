import { compressions } from '../../record-batch/compression.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import type { ClientSettings } from './security/client-settings.ts'

export const compressionKeys: readonly string[] = [
  'compression.type',
  'compression.gzip.level',
  'compression.zstd.level',
]

type CompressionSettings = Partial<Pick<KafkaSettings, 'compression' | 'gzipLevel' | 'zstdLevel'>>

/** The settings of a producer (KIP-390). Throws `UserError` `invalid_kafka_config`. */
export function readCompression(settings: ClientSettings): CompressionSettings {
  const compression = readCodec(settings)
  const gzipLevel = readLevel(settings, 'compression.gzip.level', { lowest: 1, highest: 9, others: [-1] })
  const zstdLevel = readLevel(settings, 'compression.zstd.level', { lowest: -131_072, highest: 22, others: [] })
  return {
    ...(compression !== undefined && { compression }),
    ...(gzipLevel !== undefined && { gzipLevel }),
    ...(zstdLevel !== undefined && { zstdLevel }),
  }
}

function readCodec(settings: ClientSettings): KafkaSettings['compression'] | undefined {
  const key = 'compression.type'
  const found = settings.get(key)
  if (found === undefined) return undefined
  const compression = compressions.find((name) => name === found.trim().toLowerCase())
  if (compression !== undefined) return compression
  throw settings.invalid(key, `is "${found}". Set one of ${compressions.join(', ')}.`)
}

interface Levels {
  readonly lowest: number
  readonly highest: number
  readonly others: readonly number[]
}

function readLevel(settings: ClientSettings, key: string, { lowest, highest, others }: Levels): number | undefined {
  const found = settings.get(key)?.trim()
  if (found === undefined) return undefined
  const level = /^-?\d+$/.test(found) ? Number(found) : Number.NaN
  if ((level >= lowest && level <= highest) || others.includes(level)) return level
  const more = others.map((other) => ` or ${other}`).join('')
  throw settings.invalid(key, `is "${found}". Set a whole number from ${lowest} to ${highest}${more}.`)
}
