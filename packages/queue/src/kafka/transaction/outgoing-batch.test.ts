import { expect, test } from 'vitest'
import type { Compression } from '../../record-batch/compression.ts'
import { BatchEncoder } from '../../record-batch/encode.ts'
import { defaultKafkaSettings } from '../connection/kafka-settings.ts'
import { closeBatch } from './outgoing-batch.ts'

interface Case {
  readonly bytes?: number
  readonly compacted?: boolean
  readonly stored?: Compression
  readonly chosen?: Compression
}

test.each<[string, Case, Compression]>([
  ['of the settings by default', {}, 'lz4'],
  ['that the writer names for the topic', { chosen: 'gzip' }, 'gzip'],
  ['that the brokers store', { chosen: 'gzip', stored: 'snappy' }, 'snappy'],
  ['none if the writer names that', { chosen: 'none' }, 'none'],
  ['none if the brokers store none', { chosen: 'gzip', stored: 'none' }, 'none'],
  ['none in a compacted topic', { chosen: 'gzip', stored: 'snappy', compacted: true }, 'none'],
  ['none if the batch is small', { chosen: 'gzip', stored: 'snappy', bytes: 4_000 }, 'none'],
])('a batch has the compression %s', (_, { bytes = 4_096, compacted = false, stored, chosen }, expected) => {
  const encoder = new BatchEncoder()
  encoder.append({ key: null, value: Buffer.alloc(bytes), time: 1 })
  const topic = { topic: 'blocks', partition: 0, compacted, compression: stored }
  const { compression } = closeBatch(encoder, topic, { ...defaultKafkaSettings, compression: 'lz4' }, chosen)
  expect(compression).toBe(expected)
})
