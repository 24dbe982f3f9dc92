import { RetryableError } from '@headrace/sdk'
import { expect, test } from 'vitest'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { createRandom } from '../../testbed/random.ts'
import { readBlocks } from '../src/index.ts'
import { asked, untilLogged, useFakeNodes, warnings } from './fake-nodes.ts'
import { servesOtherBranch } from './node-faults.ts'
import type { RecordingSource } from './recording-source.ts'

const nodes = useFakeNodes()
const missing = 'no endpoint has a block that continues'

test('a node that reports a new branch but returns old blocks is logged once', async () => {
  const source = await nodes.published()
  const last = await nodes.head()
  const otherBranch = servesOtherBranch({ fork: last - 2 })
  nodes.first.fault = (call) => (Number(call.params[0]) <= last ? undefined : otherBranch(call))
  const reading = source.take(readBlocks(nodes.settings({ rpc: nodes.first.rpc }), source))
  await untilLogged(source, missing)
  await asked(nodes.first, 20)
  expect(warnings(source, missing)).toHaveLength(1)
  expect(source.steps).toEqual([])
  source.stop()
  await expect(reading).rejects.toThrow()
})

test('a deep reorganisation is followed while half of the requests fail', async () => {
  speedUpTime()
  const source = await nodes.published()
  const last = await nodes.head()
  await nodes.chain.reorganise(15)
  await nodes.chain.mine(1)
  const random = createRandom(3)
  nodes.first.fault = () => (random.integer(2) === 0 ? { status: 500 } : undefined)
  await readWithRetries(source, last + 1)
  expect(source.steps[0]!.revertTo).toMatchObject({ number: last - 15 })
  expect(source.history()[0]!.hash).toBe(await nodes.hashAt(last + 1))
  expect(nodes.first.calls.length).toBeLessThan(250)
})

/** Reads again after a retryable error, as the runtime does. */
async function readWithRetries(source: RecordingSource, end: number): Promise<void> {
  try {
    await source.take(readBlocks(nodes.settings({ rpc: nodes.first.rpc, end }), source))
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error
    await readWithRetries(source, end)
  }
}
