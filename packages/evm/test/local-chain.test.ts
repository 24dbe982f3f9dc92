import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startAnvil } from '../../testbed/chain/anvil.ts'
import { call, callAll } from '../../testbed/chain/json-rpc.ts'

test('the local chain answers beyond its start timeout, however much it prints', async () => {
  const startDeadlineMs = 3_000
  const anvil = await startAnvil({ chainId: 31337, hardfork: 'prague', slotsInAnEpoch: 32, startDeadlineMs })
  try {
    await delay(startDeadlineMs + 200)
    // The chain prints one line per call, and a pipe holds 64 KiB.
    const calls = Array.from({ length: 8_000 }, () => ({ method: 'eth_chainId', params: [] }))
    expect(new Set(await callAll(anvil.rpc, calls))).toEqual(new Set(['0x7a69']))
    expect(await call(anvil.rpc, 'eth_chainId')).toBe('0x7a69')
  } finally {
    await anvil.stop()
  }
})
