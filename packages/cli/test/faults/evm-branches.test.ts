import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startGethChain } from '../../../testbed/chain/geth/geth-chain.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { engines } from '../whole-path/engines.ts'
import { publishChain } from './published-chain.ts'

const counts = { once: 6, scaled: 8, full: 150 }
const longestPauseMs = inject('faultScale') === 'full' ? 3000 : 400
const backfill = 60
const deepest = 30
/** Distance of the finalized block from the head when it changes. */
const finalDepth = 40

const kinds = [
  'another branch',
  'back to the branch before',
  'a shorter branch',
  'another branch and back while down',
  'a shorter branch while down',
  'two branches in a row',
] as const

const geth = inject('gethBinary')

describe.skipIf(geth === null)('geth', () => {
  // On the embedded queue: evm-reorganisations.test.ts.
  for (const engine of engines.filter(({ name }) => name === 'Kafka'))
    describe.skipIf(engine.missing)(`on ${engine.name}`, () => {
      test('what is published is always a chain that the node has served, whichever branch it switches to', async () => {
        const plan = planFaults(`branches of geth on ${engine.name}`, counts, kinds)
        const { random } = plan
        await using resources = new AsyncDisposableStack()
        const chain = await startGethChain({ binary: geth!, seed: random.integer(2 ** 31) })
        resources.defer(() => chain.stop())
        await chain.mine(10)
        await chain.setHead((await chain.branch(await chain.hashAt(10), backfill - 10)).at(-1)!)
        const published = resources.use(await publishChain(engine, chain.rpc))
        let finalized = 0
        /** Makes a block of the new branch final. The number of the final block never decreases. */
        const finalize = async () => {
          const head = await chain.headNumber()
          if (head - finalDepth <= finalized) return
          finalized = head - finalDepth
          const hash = await chain.hashAt(finalized)
          await chain.setHead(await chain.hashAt(head), { safe: hash, finalized: hash })
        }

        const mine = async (transactions = random.integer(4)) => {
          await chain.mine(1 + random.integer(6), { transactions })
          await published.changed()
        }
        const switchTo = async (head: string) => {
          await chain.setHead(head)
          await published.changed()
        }
        /** Switches to a branch that forks this many blocks below the head, and is longer or shorter by `longer`. */
        const fork = async (longer: number) => {
          const head = await chain.headNumber()
          const depth = Math.min(2 + random.integer(deepest - 1), head - finalized)
          const branch = await chain.branch(await chain.hashAt(head - depth), Math.max(1, depth + longer))
          await switchTo(branch.at(-1)!)
        }
        const forkAndReturn = async () => {
          const first = await chain.hashAt(await chain.headNumber())
          await fork(random.integer(3) - 1)
          await published.changed()
          return () => switchTo(first)
        }
        await finalize()
        const faults: Record<(typeof kinds)[number], () => Promise<void>> = {
          'another branch': () => fork(random.integer(2)),
          async 'back to the branch before'() {
            const back = await forkAndReturn()
            if (random.integer(2) === 0) await published.untilHeadIsPublished()
            else await delay(random.integer(300))
            await back()
          },
          'a shorter branch': () => fork(-1 - random.integer(8)),
          'another branch and back while down': () => published.whileDown(async () => (await forkAndReturn())()),
          'a shorter branch while down': () => published.whileDown(() => fork(-1 - random.integer(8))),
          async 'two branches in a row'() {
            await fork(0)
            await fork(1)
          },
        }
        for (let fault = 0; fault < plan.count; fault++) {
          const kind = kinds[fault % kinds.length]!
          if (fault > 0 && random.integer(3) > 0) await published.untilHeadIsPublished()
          await faults[kind]()
          plan.hit(kind)
          if (random.integer(2) === 0) await mine()
          await finalize()
          await delay(random.integer(longestPauseMs))
        }
        // A head whose missing blocks were all published before could also be one that lags behind.
        do await mine()
        while ((await chain.headNumber()) <= backfill)
        await finalize()
        await chain.mine(2, { transactions: 3 })
        await published.changed()
        expect(await published.expectWhole(), 'reverted blocks').toBeGreaterThan(plan.count)
        expect(finalized).toBeGreaterThan(backfill - finalDepth)
        plan.expectAllHit()
        await published.expectVerified()
        await published.expectAlterationFound()
      })
    })
})
