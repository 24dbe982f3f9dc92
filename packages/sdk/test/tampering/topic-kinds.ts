import type { Finding, Kind } from './kind.ts'
import type { CopiedRecord, PublishedCopy } from './published-copy.ts'

/** Kinds of tampering with topics and partitions. */
export function topicKinds(copy: PublishedCopy): Kind[] {
  const kind = (name: string, tampered: Partial<PublishedCopy>, ...found: Finding[]): Kind => ({
    ...{ name, tamper: () => ({ ...copy, ...tampered }), found },
  })
  const without = (isGone: (record: CopiedRecord) => boolean) => copy.records.filter((record) => !isGone(record))
  const isTransaction = ({ message }: CopiedRecord) => message === 'Transaction'
  return [
    kind(
      'a topic is missing',
      { records: without(isTransaction), partitions: { Transaction: 0 } },
      'topic_missing Transaction',
    ),
    kind(
      'a topic is empty',
      { records: without(isTransaction) },
      ...[0, 1, 2].map((one) => `seq_missing Transaction/${one} 0`),
    ),
    kind(
      'all topics are empty',
      { records: [] },
      'seq_missing Block/0 0',
      ...[0, 1, 2].map((one) => `seq_missing Transaction/${one} 0`),
    ),
    kind(
      'all topics are missing',
      { records: [], partitions: { Transaction: 0, Block: 0 } },
      'topic_missing Block',
      'topic_missing Transaction',
    ),
    kind(
      'a partition is missing',
      { records: without((one) => isTransaction(one) && one.partition === 2), partitions: { Transaction: 2 } },
      'partition_missing Transaction/2',
    ),
    kind(
      'a topic was created again with one partition',
      { records: without(isTransaction), partitions: { Transaction: 1 } },
      ...['partition_missing Transaction/1', 'partition_missing Transaction/2', 'seq_missing Transaction/0 0'],
    ),
    kind('a topic has a partition too many', { partitions: { Transaction: 4 } }, 'partition_unexpected Transaction/3'),
    kind(
      'a topic of one partition has two more',
      { partitions: { Block: 3 } },
      'partition_unexpected Block/1',
      'partition_unexpected Block/2',
    ),
    kind(
      'records are in an additional partition',
      { records: [...copy.records, { ...copy.records[0]!, partition: 1 }], partitions: { Block: 2 } },
      'partition_unexpected Block/1',
    ),
  ]
}
