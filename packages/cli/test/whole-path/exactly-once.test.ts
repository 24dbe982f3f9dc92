import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../testbed/chain/chain.ts'
import { type FakeNode, startFakeNode } from '../../../testbed/chain/fake-node.ts'
import { type ChainContent, chainContent } from './chain-content.ts'
import { connector, startConnector } from './connector-process.ts'
import { engines } from './engines.ts'
import { publishedRecords, untilPublished } from './published.ts'

const last = 100

let chain: Chain
let node: FakeNode
let content: ChainContent

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(last, { transactions: 3 })
  content = await chainContent(chain.rpc, 0, last)
  node = await startFakeNode(chain.rpc)
})

afterAll(async () => {
  await node.close()
  await chain.stop()
})

for (const engine of engines)
  describe.skipIf(engine.missing)(`the EVM connector on ${engine.name}`, () => {
    let queue: Queue
    let opened: Awaited<ReturnType<typeof engine.open>>
    const topic = (message: string) => `headrace.evm.1_0_0.${opened.chain}_${message}`
    const run = (end: number) => [
      ...['run', 'examples/evm', '--queue', opened.url, '--set', `rpc=${node.rpc}`],
      ...['--set', 'start=0', '--set', `end=${end}`, '--set', `chain=${opened.chain}`],
    ]

    beforeAll(async () => {
      opened = await engine.open()
      queue = await openQueue(opened.url)
    })

    afterAll(async () => {
      await queue.close()
      await opened.remove()
    })

    test('publishes blocks 0 to 50 and ends with 0; a second run publishes nothing', async () => {
      expect(await connector(...run(50))).toMatchObject({ code: 0 })
      const first = await publishedRecords(queue, topic('Block'))
      expect(first.map(({ key }) => key)).toEqual(content.blocks.slice(0, 51))

      expect(await connector(...run(50))).toMatchObject({ code: 0 })
      expect(await publishedRecords(queue, topic('Block'))).toEqual(first)
    })

    test('`connector read` prints 51 JSON lines in order', async () => {
      const { code, stdout } = await connector(
        'read',
        topic('Block'),
        '--queue',
        opened.url,
        '--json',
        '--order',
        'asc',
      )
      const records = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(code).toBe(0)
      expect(records.map(({ value }) => value.Number)).toEqual(Array.from({ length: 51 }, (_, number) => `${number}`))
      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => `${index}`))
    })

    test('publishes each block and transaction once although it is killed', async () => {
      const enough = 70
      // However fast the connector is, it is killed before it has finished.
      node.fault = neverAnswersFrom(enough + 15)
      const { child, ended } = startConnector(run(last))
      const gone = new AbortController()
      child.once('exit', () => gone.abort())
      await untilPublished(queue, topic('Block'), enough, gone.signal)
      child.kill('SIGKILL')
      expect(await ended, 'killed while it was publishing').toMatchObject({ signal: 'SIGKILL' })
      node.fault = () => undefined
      expect(await connector(...run(last))).toMatchObject({ code: 0 })

      const blocks = await publishedRecords(queue, topic('Block'))
      const transactions = await publishedRecords(queue, topic('Transaction'))
      expect(blocks.map(({ key }) => key)).toEqual(content.blocks)
      expect(transactions.map(({ key }) => key)).toEqual(content.transactions)
      expect(blocks.map(({ unit }) => unit)).toEqual(blocks.map((_, index) => index + 1))
      for (const records of [blocks, transactions])
        expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
    })
  })

const neverAnswersFrom =
  (first: number): FakeNode['fault'] =>
  ({ method, params }) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) >= first
      ? { result: () => new Promise(() => {}) }
      : undefined
