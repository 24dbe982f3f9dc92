import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type GethChain, startGethChain } from '../../testbed/chain/geth/geth-chain.ts'
import { runInProcess } from './command-in-process.ts'
import { engines } from './whole-path/engines.ts'
import { publishedRecords } from './whole-path/published.ts'

const geth = inject('gethBinary')

describe.skipIf(geth === null)('a reorganisation below the final block', () => {
  const finalized = 10
  let chain: GethChain
  beforeAll(async () => {
    chain = await startGethChain({ binary: geth! })
    await chain.mine(1, { transactions: 1 })
  })
  afterAll(() => chain?.stop())
  // Each test has a branch of its own, of 20 blocks.
  beforeEach(async () => {
    const [first] = await chain.branch(await chain.hashAt(1), 1)
    await chain.setHead(first!)
    const hashes = [await chain.hashAt(1), first!, ...(await chain.mine(18, { transactions: 1 }))]
    await chain.setHead(hashes[19]!, { safe: hashes[finalized + 1]!, finalized: hashes[finalized - 1]! })
  })

  // The finality is decided before a queue is written to.
  for (const engine of engines.filter(({ name }) => name === 'embedded'))
    describe.skipIf(engine.missing)(`on ${engine.name}`, () => {
      test.each([
        ['while the connector runs', false],
        ['while it is down', true],
      ])('%s ends with exit code 77, and nothing is overwritten', async (_, isDown) => {
        await using publication = await publishOn(engine)
        const { run, blocks, published } = publication
        const first = run(...(isDown ? ['end=20'] : []))
        if (isDown) expect(await first.ended).toMatchObject({ code: 0 })
        else await expect.poll(async () => (await blocks()).length, { timeout: 60_000 }).toBe(21)
        const before = await published()
        await switchToFork(finalized - 1, 14)
        const { code, stderr } = await (isDown ? run() : first).ended
        expect(code, stderr).toBe(77)
        expect(stderr).toContain('reorganisation_below_final')
        expect(await published()).toEqual(before)
        expect(before[0]).toHaveLength(21)
      })

      test('is not reported if the final block itself stays canonical', async () => {
        await using publication = await publishOn(engine)
        const { run, blocks } = publication
        expect(await run('end=20').ended).toMatchObject({ code: 0 })
        const branch = await switchToFork(finalized, 12)
        const { code, stderr } = await run(`end=${finalized + 12}`).ended
        expect(code, stderr).toBe(0)
        const reverted = 20 - finalized
        expect((await blocks()).slice(21 + reverted).map(({ key }) => key)).toEqual(branch)
      })

      test('is reported with the final block at each reorganisation', async () => {
        await using publication = await publishOn(engine)
        const { run, blocks } = publication
        const running = run()
        const untilPublished = (hash: string) =>
          expect.poll(async () => (await blocks()).at(-1)?.key, { timeout: 60_000 }).toBe(hash)
        await untilPublished(await chain.hashAt(20))
        const first = await switchToFork(15, 10, 18)
        await untilPublished(first.at(-1)!)
        const second = await switchToFork(20, 10, 24)
        await untilPublished(second.at(-1)!)
        const before = await blocks()
        await switchToFork(23, 14)
        const { code, stderr } = await running.ended
        expect(code, stderr).toBe(77)
        expect(stderr).toContain('reorganisation_below_final')
        expect(await blocks()).toEqual(before)
      })
    })

  /** Switches to a branch of this many blocks that forks at a block, with a final block in it. */
  async function switchToFork(below: number, blocks: number, final?: number): Promise<string[]> {
    const branch = await chain.branch(await chain.hashAt(below), blocks)
    const mark = final === undefined ? undefined : branch[final - below - 1]!
    await chain.setHead(branch.at(-1)!, mark === undefined ? {} : { safe: mark, finalized: mark })
    return branch
  }

  /** A queue that the chain is published to. Disposing of it ends the runs. */
  async function publishOn(engine: (typeof engines)[number]) {
    const resources = new AsyncDisposableStack()
    const opened = await engine.open()
    resources.defer(() => opened.remove())
    const queue = await openQueue(opened.url)
    resources.defer(() => queue.close())
    const topics = ['Block', 'Transaction'].map((message) => `headrace.evm.1_0_0.${opened.chain}_${message}`)
    const settings = [`rpc=${chain.rpc}`, 'start=0', 'poll=0.1', `chain=${opened.chain}`]
    return {
      run(...more: string[]) {
        const set = [...settings, ...more].flatMap((setting) => ['--set', setting])
        const stop = new AbortController()
        const args = ['run', 'examples/evm', '--queue', opened.url, ...set]
        const ended = runInProcess(args, { variables: process.env, signal: stop.signal })
        resources.defer(async () => {
          stop.abort()
          await ended
        })
        return { ended }
      },
      blocks: () => publishedRecords(queue, topics[0]!),
      published: () => Promise.all(topics.map((topic) => publishedRecords(queue, topic))),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }
})
