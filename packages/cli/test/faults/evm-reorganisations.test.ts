import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startChain } from '../../../testbed/chain/chain.ts'
import { startFakeNode } from '../../../testbed/chain/fake-node.ts'
import { call, quantity } from '../../../testbed/chain/json-rpc.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { engines } from '../whole-path/engines.ts'
import { publishChain } from './published-chain.ts'

const counts = { once: 7, scaled: 8, full: 150 }
const longestPauseMs = inject('faultScale') === 'full' ? 4000 : 800
/** Blocks without transactions, and blocks after them that the first reorganisation may replace. */
const [backfill, replaceable] = [1200, 40]
const deepest = 30

const kinds = [
  'reorganised',
  'killed',
  'reorganised to empty blocks',
  'reorganised while down',
  'reorganised twice in a row',
  'killed just after a reorganisation',
  'reorganised while down, and grown',
] as const

// On Kafka: evm-branches.test.ts.
for (const engine of engines.filter(({ name }) => name === 'embedded'))
  describe.skipIf(engine.missing)(`on ${engine.name}`, () => {
    test('what is published is always a chain that the node has served, whatever is reorganised and killed', async () => {
      const plan = planFaults(`reorganisations on ${engine.name}`, counts, kinds)
      const { random } = plan
      await using resources = new AsyncDisposableStack()
      const chain = await startChain({ seed: random.integer(2 ** 31) })
      resources.defer(() => chain.stop())
      await call(chain.rpc, 'anvil_mine', [quantity(backfill)])
      await chain.mine(replaceable, { transactions: 2 })
      const node = await startFakeNode(chain.rpc)
      resources.defer(() => node.close())
      const { promise: firstReorganised, resolve: handOut } = Promise.withResolvers<void>()
      // Blocks that are requested until then are still of the old branch.
      node.fault = ({ method, params: [name] }) =>
        method === 'eth_getBlockByNumber' && Number(name) > backfill
          ? { result: (block) => firstReorganised.then(() => block) }
          : undefined
      const published = resources.use(await publishChain(engine, chain.rpc, node.rpc))
      await published.untilSomeIsPublished()

      const perBlock = () => random.integer(4)
      const mine = async (blocks = 1 + random.integer(4)) => {
        await chain.mine(blocks, { transactions: perBlock() })
        await published.changed()
      }
      const reorganise = async (transactions = perBlock()) => {
        await chain.reorganise(1 + random.integer(deepest), { transactions })
        await published.changed()
      }
      const faults: Record<(typeof kinds)[number], () => Promise<void>> = {
        reorganised: () => reorganise(),
        'reorganised to empty blocks': () => reorganise(0),
        async 'reorganised twice in a row'() {
          await reorganise()
          await reorganise()
        },
        killed: () => published.whileDown(async () => {}),
        async 'killed just after a reorganisation'() {
          await reorganise()
          await delay(random.integer(400))
          await published.whileDown(async () => {})
        },
        'reorganised while down': () => published.whileDown(reorganise),
        'reorganised while down, and grown': () =>
          published.whileDown(async () => {
            await reorganise()
            await mine()
          }),
      }
      for (let fault = 0; fault < plan.count; fault++) {
        const kind = kinds[fault % kinds.length]!
        // One fault in three applies to what is not published yet.
        if (fault > 0 && random.integer(3) > 0) await published.untilHeadIsPublished()
        await faults[kind]()
        plan.hit(kind)
        if (fault === 0) {
          expect(await published.newest(), 'the backfill is under way').toBeLessThanOrEqual(backfill)
          handOut()
        }
        if (random.integer(3) > 0) await mine()
        await delay(random.integer(longestPauseMs))
      }
      await mine(1)
      expect(await published.expectWhole(), 'reverted blocks').toBeGreaterThan(plan.count)
      plan.expectAllHit()
      await published.expectVerified()
    })
  })
