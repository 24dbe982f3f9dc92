import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startAnvil } from '../../testbed/chain/anvil.ts'
import { call } from '../../testbed/chain/json-rpc.ts'

test('the local chain answers beyond its start timeout, however much it prints', async () => {
  const startDeadlineMs = 3_000
  const anvil = await startAnvil({ chainId: 31337, hardfork: 'prague', slotsInAnEpoch: 32, startDeadlineMs })
  try {
    await delay(startDeadlineMs + 200)
    // It prints a line a call, and a pipe holds 64 KiB.
    for (let calls = 0; calls < 8_000; calls++) expect(await call(anvil.rpc, 'eth_chainId')).toBe('0x7a69')
  } finally {
    await anvil.stop()
  }
})
