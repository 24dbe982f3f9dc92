import { readdirSync, readFileSync } from 'node:fs'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import connector from '../../../examples/evm/src/connector.ts'
import type { FakeNode } from '../../testbed/chain/fake-node.ts'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { type ChainFixture, type Fields, readFixture, serveFixture } from './chain-fixture.ts'
import {
  expectedRecords,
  fields,
  hasOwnEncoding,
  membersNotPublished,
  type Part,
  rewritten,
} from './expected-records.ts'

/** What is not published, by the part of the answers that has it. */
type NotPublished = Partial<Record<Part, string>>

const geth: NotPublished = { block: 'totalDifficulty uncles', log: 'removed' }
const chains: readonly (readonly [name: string, notPublished: NotPublished])[] = [
  ['ethereum-frontier', { block: 'totalDifficulty uncles' }],
  ['ethereum-byzantium', geth],
  ['ethereum-constantinople', geth],
  ['ethereum-london', geth],
  ['ethereum-dencun', { block: 'totalDifficulty uncles withdrawals' }],
  ['ethereum-classic', { ...geth, transaction: 'publicKey raw' }],
  ['fuse', { block: 'author sealFields signature step totalDifficulty uncles' }],
  [
    'fuse-transaction',
    { transaction: 'condition creates publicKey raw standardV', log: 'removed transactionLogIndex type' },
  ],
  ['polygon', { ...geth, block: 'totalDifficulty' }],
  ['bsc', geth],
  ['fantom', { block: 'epoch timestampNano totalDifficulty uncles' }],
  ['viction', { block: 'penalties totalDifficulty uncles validator validators' }],
  ['tron', { block: 'totalDifficulty' }],
  ['kaia', { block: 'uncles' }],
  ['harmony', { block: 'uncles vrf vrfProof', transaction: 'timestamp', log: 'removed' }],
  [
    'optimism-legacy',
    {
      block: 'totalDifficulty uncles',
      transaction: 'index l1BlockNumber l1Timestamp l1TxOrigin queueIndex queueOrigin rawTransaction txType',
    },
  ],
  [
    'base-goerli',
    { ...geth, transaction: 'isSystemTx mint sourceHash', receipt: 'l1Fee l1FeeScalar l1GasPrice l1GasUsed' },
  ],
  ['base', { block: 'totalDifficulty uncles', transaction: 'mint sourceHash', receipt: 'depositNonce' }],
  [
    'celo',
    {
      block: 'epochSnarkData randomness totalDifficulty',
      transaction: 'feeCurrency gatewayFee gatewayFeeRecipient',
    },
  ],
  [
    'celo-cip64',
    {
      transaction: 'feeCurrency',
      receipt: 'baseFee l1BaseFeeScalar l1BlobBaseFee l1BlobBaseFeeScalar l1Fee l1GasPrice l1GasUsed',
    },
  ],
  [
    'arbitrum-classic',
    {
      block: 'l1BlockNumber totalDifficulty uncles',
      transaction: 'arbSubType arbType indexInParent l1BlockNumber l1SequenceNumber parentRequestId',
      receipt: 'feeStats l1BlockNumber l1InboxBatchInfo returnCode returnData',
    },
  ],
  [
    'arbitrum-classic-nitro',
    { ...geth, block: 'l1BlockNumber totalDifficulty uncles', receipt: 'gasUsedForL1 l1BlockNumber' },
  ],
  [
    'arbitrum',
    {
      block: 'l1BlockNumber sendCount sendRoot uncles',
      transaction: 'blockTimestamp',
      receipt: 'gasUsedForL1 l1BlockNumber',
      log: 'blockTimestamp removed',
    },
  ],
  ['arbitrum-deposit', { transaction: 'blockTimestamp requestId', receipt: 'gasUsedForL1 l1BlockNumber' }],
  [
    'arbitrum-retryable',
    {
      transaction:
        'beneficiary blockTimestamp depositValue l1BaseFee maxRefund maxSubmissionFee refundTo requestId retryData ' +
        'retryTo retryValue submissionFeeRefund ticketId',
      receipt: 'gasUsedForL1 l1BlockNumber',
      log: 'blockTimestamp removed',
    },
  ],
  [
    'zksync',
    {
      block: 'l1BatchNumber l1BatchTimestamp sealFields totalDifficulty uncles',
      transaction: 'l1BatchNumber l1BatchTxIndex',
      receipt: 'l1BatchNumber l1BatchTxIndex l2ToL1Logs',
      log: 'l1BatchNumber logType removed transactionLogIndex',
    },
  ],
  ['zksync-priority', { transaction: 'l1BatchNumber l1BatchTxIndex' }],
]
/** Their legacy transactions are signed in a form of their own. That of `kaia` is not signed by a key. */
const ownEncodings = ['celo', 'kaia']
const refused = ['harmony-hmy']

const folder = new URL('../../../examples/evm/', import.meta.url)
const page = readReferencePage('evm.md')
let node: FakeNode | undefined
afterEach(() => node?.close())

async function openProject(fixture: ChainFixture, changes: object = {}): Promise<TestProject> {
  node = await serveFixture(fixture)
  const number = Number(fixture.block.number)
  const hasReceipts = fixture.receipts !== null
  const range = { start: number, end: number, finality: 0 }
  const settings = { rpc: node.rpc, ...range, receipts: hasReceipts, logs: hasReceipts, ...changes }
  return createTestProject(folder, { settings })
}

/** Expects that exactly the records of a fixture are published, as readers get them. */
async function expectPublished(served: ChainFixture, fixture: ChainFixture): Promise<void> {
  await using project = await openProject(served)
  await project.run(connector)
  const { Block, Transaction, ...ofReceipts } = expectedRecords(fixture)
  const expected = { Block, Transaction, ...(fixture.receipts && ofReceipts) }
  for (const [message, records] of Object.entries(expected))
    expect((await project.records(message)).map(({ value }) => value)).toEqual(records)
}

test('every fixture is published or refused', () => {
  const files = readdirSync(new URL('chains', import.meta.url)).map((file) => file.replace('.json', ''))
  expect([...chains.map(([name]) => name), ...refused].sort()).toEqual(files.sort())
})

describe.each(chains)('a block of %s', (name, notPublished) => {
  const fixture = readFixture(name)

  test('is published, except the listed members', async () => {
    await expectPublished(fixture, fixture)
    expect(membersNotPublished(fixture)).toEqual(notPublished)
    expect(hasOwnEncoding(fixture.block)).toBe(ownEncodings.includes(name))
  })

  test('has no other members than those in the reference', () => {
    const names = Object.values(notPublished).flatMap((listed) => listed.split(' '))
    expect(names.filter((member) => !page.text.includes(`\`${member}\``))).toEqual([])
  })
})

test.each(['ethereum-dencun', 'polygon', 'celo', 'zksync'])(
  'a block of %s is published equally with leading zeros, and with null in place of missing members',
  async (name) => {
    const fixture = readFixture(name)
    await expectPublished(rewritten(fixture), fixture)
  },
)

describe('with verify=roots', () => {
  test('a block with its receipts is published', async () => {
    await using project = await openProject(readFixture('ethereum-frontier'), { verify: 'roots' })
    expect(await project.run(connector)).toMatchObject({ units: 1, records: 3 })
  })

  test('a type of transaction that Ethereum does not have ends the run', async () => {
    await using project = await openProject(readFixture('base'), { verify: 'roots' })
    await expect(project.run(connector)).rejects.toThrow('has type 126')
  })
})

test('a receipt that eth_getBlockReceipts lacks, as of a state sync on Erigon, is requested by its hash', async () => {
  const fixture = readFixture('polygon')
  await expectPublished({ ...fixture, receiptsAtOnce: 1 }, fixture)
})

describe('an answer is refused with the words of the reference if', () => {
  const london = readFixture('ethereum-london')
  const [transaction, receipt] = [london.block.transactions[1]!, london.receipts![1]!]
  const withBlock = (changes: object) => ({ ...london, block: { ...london.block, ...changes } })
  const withTransaction = (changes: object) =>
    withBlock({ transactions: [london.block.transactions[0], { ...transaction, ...changes }] })
  const withReceipt = (changes: object) => ({ ...london, receipts: [london.receipts![0]!, { ...receipt, ...changes }] })
  const withLog = (changes: object) => withReceipt({ logs: [{ ...(receipt.logs as Fields[])[0], ...changes }] })
  const other = `0x${'ab'.repeat(32)}`
  const none = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

  test.each<[string, ChainFixture, string]>([
    ['a quantity is a number, as of hmy_ methods', readFixture('harmony-hmy'), 'it has no valid NAME'],
    [
      'an address is not hex',
      withBlock({ miner: 'one1gh043zc95e6mtutwy5a2zhvsxv7lnlklkj42ux' }),
      'it has no valid NAME',
    ],
    [
      'a root does not allow transactions',
      withBlock({ transactionsRoot: none }),
      'it holds transactions under the root of none',
    ],
    ['a type is too large', withTransaction({ type: '0x100000000' }), 'transaction I has no valid NAME'],
    ['a transaction is of another block', withTransaction({ blockHash: other }), 'transaction I is of another block'],
    [
      'a transaction has another index',
      withTransaction({ transactionIndex: '0x5' }),
      'transaction I has another index',
    ],
    ['a status is a boolean', withReceipt({ status: true }), 'it has no valid NAME'],
    ['a receipt is of another block', withReceipt({ blockHash: other }), 'number I is of another block'],
    ['a receipt has another index', withReceipt({ transactionIndex: '0x5' }), 'number I has another index'],
    ['a price is not hex', withReceipt({ effectiveGasPrice: '12' }), 'receipt I has no valid NAME'],
    ['an address has 19 bytes', withLog({ address: `0x${'ab'.repeat(19)}` }), 'log I has no valid NAME'],
    ['a log has another index', withLog({ logIndex: '0x7' }), 'a log of number I has another index'],
    [
      'a receipt is missing',
      { ...london, receipts: london.receipts!.slice(0, 1) },
      'one is missing or of another block',
    ],
  ])('%s', async (_, fixture, words) => {
    await using project = await openProject(fixture)
    const stop = new AbortController()
    const reason = Promise.withResolvers<string>()
    const log = pino({ level: 'warn' }, { write: (line: string) => reason.resolve(line) })
    const running = project.run(connector, { log, signal: stop.signal })
    expect(await reason.promise).toMatch(new RegExp(words.replace(' I ', ' \\d+ ').replace('NAME', '\\w+')))
    expect(page.text).toContain(`\`${words}\``)
    stop.abort()
    await running
    expect(await project.records('Block')).toEqual([])
  })
})

describe('the reference', () => {
  const proto = readFileSync(new URL('proto/evm.proto', folder), 'utf8')

  test.each([
    ['Block', fields.block],
    ['Transaction', fields.transaction],
    ['Receipt', fields.receipt],
    ['Log', fields.log],
  ] as const)('lists every field of %s, which have presence, and their members', (message, rows) => {
    const [, body] = new RegExp(`^message ${message} {(.*?)^}`, 'ms').exec(proto)!
    const declared = [...body!.matchAll(/^ {2}(optional )?(?:repeated )?\S+ (\w+) = \d+;/gm)]
    const listed = page
      .rows(message, 'field')
      .flatMap(([names, member]) =>
        names!.split(', ').map((name) => ({ name: name.replace('?', ''), hasPresence: name.endsWith('?'), member })),
      )
    expect(listed.map(({ name, hasPresence }) => [name, hasPresence]).sort()).toEqual(
      declared.map(([, optional, name]) => [name, optional !== undefined]).sort(),
    )
    for (const { name, member } of listed)
      for (const made of rows[name]?.[0] ?? []) expect(member).toMatch(new RegExp(`\\b${made}\\b`))
  })
})
