import type { PublishedRecord } from '@headrace/sdk/testing'
import { unitOf } from '../../../../sdk/test/chain/connector.ts'
import { readWithKafkajs } from '../kafkajs-reader.ts'
import type { ElectionScene } from './election-scene.ts'
import type { FoundPlace } from './position-questions.ts'

export interface PublishedPartition {
  readonly topic: string
  readonly partition: number
  readonly records: number
}

/**
 * Compares the published records with the expected ones, and the resolved positions with the blocks there. Returns the
 * number of records.
 */
export async function checkPublished(
  scene: ElectionScene,
  places: readonly FoundPlace[],
): Promise<PublishedPartition[]> {
  const { blocks, totals, counts, cluster, topics } = scene
  const units = Array.from({ length: counts.committed }, (_, number) => unitOf(number).messages)
  const hashes = units.map(({ Block }) => Block[0]!.Hash)
  const transactions = units.flatMap(({ Transaction }) => Transaction.map(({ Hash }) => Hash))

  const published = await blocks.records('Block')
  check(scene, 'Block', published.map(keyOf), hashes)
  checkSeqs(scene, 'Block', published)
  const sent = await blocks.records('Transaction')
  check(scene, 'Transaction', sent.map(keyOf).sort(), transactions.toSorted())
  checkSeqs(scene, 'Transaction', sent)

  const sums = await totals.records('Total')
  const shown = sums.map(({ value }) => (value as { Hash: string; Transactions: string }).Hash)
  check(scene, 'Total', shown, hashes)
  const counted = sums.map(({ value }) => JSON.stringify(value))
  const expected = units.map(({ Block, Transaction }) =>
    JSON.stringify({ Hash: Block[0]!.Hash, Transactions: String(Transaction.length) }),
  )
  check(scene, 'Total with its transactions', counted, expected)
  checkSeqs(scene, 'Total', sums)
  const senders = await totals.records('Sender')
  check(scene, 'Sender', senders.map(keyOf).sort(), transactions.toSorted())
  checkSeqs(scene, 'Sender', senders)

  for (const topic of [topics.block, topics.total]) {
    const seen = await readWithKafkajs(cluster.nodes[0]!.address, topic)
    check(
      scene,
      `${topic} by kafkajs`,
      seen.map(({ key }) => key),
      hashes,
    )
  }
  checkPlaces(scene, published, places)
  return [
    ...partitionsOf(topics.block, published),
    ...partitionsOf(topics.transaction, sent),
    ...partitionsOf(topics.total, sums),
    ...partitionsOf(topics.sender, senders),
  ]
}

function partitionsOf(topic: string, records: readonly PublishedRecord[]): PublishedPartition[] {
  const partitions = Map.groupBy(records, ({ partition }) => partition)
  return [...partitions].map(([partition, { length }]) => ({ topic, partition, records: length }))
}

function keyOf({ key }: PublishedRecord): string {
  return key ?? ''
}

function check({ findings }: ElectionScene, what: string, found: readonly string[], expected: readonly string[]): void {
  const place = expected.findIndex((name, index) => found[index] !== name)
  const wrong = place < 0 && found.length > expected.length ? expected.length : place
  if (wrong < 0) return
  const [seen, wanted] = [new Set(found), new Set(expected)]
  const missing = expected.filter((name) => !seen.has(name)).length
  const unknown = found.filter((name) => !wanted.has(name)).length
  findings.note(
    'published',
    `${what}: ${found.length} records, expected ${expected.length}: ${missing} missing, ${found.length - seen.size} ` +
      `repeated, ${unknown} unknown; record ${wrong} is ${found[wrong]}, expected ${expected[wrong]}`,
  )
}

function checkSeqs({ findings }: ElectionScene, what: string, records: readonly PublishedRecord[]): void {
  for (const [partition, list] of Map.groupBy(records, ({ partition }) => partition)) {
    const wrong = list.findIndex(({ seq }, index) => seq !== index)
    if (wrong >= 0)
      findings.note('published', `${what} partition ${partition}: record ${wrong} has seq ${list[wrong]!.seq}`)
  }
}

function checkPlaces({ findings }: ElectionScene, blocks: readonly PublishedRecord[], places: readonly FoundPlace[]) {
  for (const { kind, text, offset, from, to, situation } of places) {
    const record = blocks.find((record) => record.offset >= offset)
    const seq = record?.seq ?? blocks.length
    if (seq >= from && seq <= to) continue
    findings.note(
      `position ${kind}`,
      `"${text}" is at offset ${offset}, seq ${seq}, expected ${from} to ${to} (${situation})`,
    )
  }
}
