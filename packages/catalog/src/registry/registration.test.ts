import type { PartitionOffset, Queue } from '@headrace/queue'
import { expect, test } from 'vitest'
import { systemTopics } from '../system-topics/system-topics.ts'
import { encodeRegistration, readRegistry, type TopicRegistration } from './registration.ts'

test('the registry contains a topic that is registered again while it is read, also after a compaction', async () => {
  const registration: TopicRegistration = {
    topic: 'acme.evm.1_0_0.ethereum_Block',
    lineage: 'acme.evm.1_0_0',
    instance: 'ethereum',
    connector: { owner: 'acme', package: 'evm', version: '1.2.0' },
    message: 'acme.evm.Block',
    descriptors: Buffer.from('descriptors'),
    key: 'Hash',
    time: 'ts',
    bytes: 'hex',
    partitions: 1,
  }
  const place = { topic: systemTopics.registry, partition: 0 }
  const value = encodeRegistration(registration)
  const record = { ...place, offset: 1n, key: Buffer.from(registration.topic), value, time: 1, headers: [] }
  const batch = {
    ...place,
    baseOffset: 1n,
    nextOffset: 2n,
    maxTime: 1,
    byteLength: 1,
    records: () => [record].values(),
  }
  const ends = [1n, 2n]
  const queue = {
    describe: async () => [{ name: place.topic, partitions: [{ earliest: 0n, end: 1n }] }],
    highWatermark: async () => (ends.length > 1 ? ends.shift()! : ends[0]!),
    // The earlier registration was at offset 0, where compaction has left nothing.
    read: async ({ offset }: PartitionOffset) =>
      offset < 1n ? { batches: [], next: 1n, end: 1n } : { batches: [batch], next: 2n, end: 2n },
  } as unknown as Queue
  expect([...(await readRegistry(queue)).keys()]).toEqual([registration.topic])
})
