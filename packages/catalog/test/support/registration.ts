import type { TopicRegistration } from '@headrace/catalog'

export const block: TopicRegistration = {
  topic: 'acme.evm.1_0_0.ethereum_Block',
  lineage: 'acme.evm.1_0_0',
  instance: 'ethereum',
  connector: { owner: 'acme', package: 'evm', version: '1.0.0' },
  message: 'acme.evm.Block',
  descriptors: Buffer.from('descriptors'),
  bytes: 'hex',
  partitions: 1,
}
