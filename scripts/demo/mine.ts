import { setTimeout as delay } from 'node:timers/promises'
import type { Chain } from '../../packages/testbed/chain/chain.ts'
import { call } from '../../packages/testbed/chain/json-rpc.ts'
import { createRandom } from '../../packages/testbed/random.ts'

const busyEvery = 40
const reorganisedEvery = 25
const reorganisedAtMost = 3

/**
 * Mines a block each second, with a number of transactions that rises and falls. Now and then it replaces the newest
 * blocks instead. The numbers are the same in each demo. Ends with the chain.
 */
export async function mineEverySecond(chain: Chain): Promise<never> {
  const random = createRandom(1)
  for (let second = 1; ; second++) {
    const wave = Math.round(14 + 11 * Math.sin(second / 8)) + random.integer(6)
    const transactions = second % busyEvery === 0 ? 4 * wave : wave
    const depth = second % reorganisedEvery === 0 ? 1 + random.integer(reorganisedAtMost) : 0
    const changed = depth > 0 ? reorganise(chain, depth, transactions) : chain.mine(1, { transactions })
    await Promise.all([changed, delay(1000)])
  }
}

async function reorganise(chain: Chain, depth: number, transactions: number): Promise<void> {
  await chain.reorganise(depth, { transactions })
  // anvil continues with the time of the oldest replaced block.
  await call(chain.rpc, 'anvil_setTime', [Math.floor(Date.now() / 1000)])
}
