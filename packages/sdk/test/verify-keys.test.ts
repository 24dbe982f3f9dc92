import { partitionForKey } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { alteringQueue } from './altering-queue.ts'
import { type BlockUnit, chainConnector, genesisSeconds, unitOf } from './chain/connector.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'
import { comparingChain, verifyProject } from './verify-project.ts'

/** Blocks are keyed by a uint64, transactions by bytes that are not text. */
let copy: ChainCopy
beforeAll(async () => {
  copy = await copyChain()
  await copy.rewrite((manifest) =>
    manifest.replace('key: Hash', 'key: Number\n    bytes: hex').replace('key: Hash', 'key: From'),
  )
})
afterAll(() => copy.remove())

let project: TestProject
beforeEach(async () => {
  project = await createTestProject(copy.dir, { settings: { end: 5 } })
})
afterEach(() => project.close())

const seconds = BigInt(genesisSeconds)
const block = (number: bigint, Hash: string) => ({ seconds, Number: number, Hash })
const from = (From: Uint8Array, Hash: string) => ({ seconds, Hash, From })
/** Keys that are not text and belong to the same partition. */
const [one, other] = Array.from({ length: 32 }, (_, index) => Uint8Array.of(0xe0 + index, 0xfe, 0x80)).filter(
  (bytes) => partitionForKey(bytes, 3) === 1,
) as [Uint8Array, Uint8Array]
const key = (...bytes: number[]) => Uint8Array.from([...new Uint8Array(8 - bytes.length), ...bytes])

/** Publishes a unit of several blocks, and verifies one of them against the source. */
async function compare(published: BlockUnit['messages'], source: NonNullable<BlockUnit['messages']>) {
  const connector = chainConnector((unit) => (unit.checkpoint.number === 2 ? { ...unit, messages: published! } : unit))
  await project.run(connector)
  const comparing = comparingChain(connector, (number) => (number === 2 ? source : unitOf(number).messages))
  return await verifyProject(project, comparing.connector)
}

test('differing messages are matched by keys that are integers', async () => {
  const { findings } = await compare(
    { Block: [block(128n, 'a'), block(129n, 'b')] },
    { Block: [block(129n, 'y'), block(128n, 'x')] },
  )
  expect(findings).toMatchObject([
    { code: 'message_differs', seq: 2, expected: { Hash: 'x' }, found: { Hash: 'a' } },
    { code: 'message_differs', seq: 3, expected: { Hash: 'y' }, found: { Hash: 'b' } },
  ])
  for (const { message } of findings) expect(message).toBe('Hash differs from the source.')
})

test('differing messages are matched by keys that are bytes', async () => {
  const { findings } = await compare(
    { Transaction: [from(one, 'a'), from(other, 'b')] },
    { Transaction: [from(other, 'y'), from(one, 'x')] },
  )
  expect(findings).toMatchObject([
    { code: 'message_differs', partition: 1, expected: { Hash: 'x' }, found: { Hash: 'a' } },
    { code: 'message_differs', partition: 1, expected: { Hash: 'y' }, found: { Hash: 'b' } },
  ])
  for (const { message } of findings) expect(message).toBe('Hash differs from the source.')
})

test.each<[string, (topic: string) => boolean, Uint8Array, string, string]>([
  ['a number', (topic) => topic.endsWith('_Block'), key(129), '0', '129'],
  ['no number of 8 bytes', (topic) => topic.endsWith('_Block'), Uint8Array.of(0xff, 0x80), '0', '0xff80'],
  [
    'bytes that are not text',
    (topic) => topic.endsWith('_Transaction'),
    Uint8Array.of(0xfb, 0xfe, 0x80),
    `0x${'01'.repeat(20)}`,
    '0xfbfe80',
  ],
])('a wrong key that is %s is found and printed as for readers', async (_, isIn, wrong, expected, found) => {
  const connector = chainConnector()
  let altered = 0
  const queue = alteringQueue(project.queue, (record) =>
    isIn(record.topic) && altered++ === 0 ? { ...record, key: wrong } : record,
  )
  await project.run(connector, { queue })
  const { findings } = await verifyProject(project, comparingChain(connector).connector)
  expect(findings).toMatchObject([{ code: 'key_wrong', seq: 0, expected, found }])
})
