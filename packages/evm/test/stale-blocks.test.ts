import { RetryableError } from '@headrace/sdk'
import { expect, test } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import { readBlocks } from '../src/index.ts'
import { asked, untilLogged, useChainDoors, warnings } from './chain-doors.ts'
import { servesOtherBranch } from './lying-node.ts'
import type { RecordingSource } from './recording-source.ts'

const doors = useChainDoors()
const missing = 'no endpoint has a block that continues'

test('a node that reports a new branch but returns old blocks is logged once', async () => {
  const source = await doors.published()
  const last = await doors.head()
  const lies = servesOtherBranch({ fork: last - 2 })
  doors.first.fault = (call) => (Number(call.params[0]) <= last ? undefined : lies(call))
  const reading = source.take(readBlocks(doors.settings({ rpc: doors.first.rpc }), source))
  await untilLogged(source, missing)
  await asked(doors.first, 20)
  expect(warnings(source, missing)).toHaveLength(1)
  expect(source.steps).toEqual([])
  source.stop()
  await expect(reading).rejects.toThrow()
})

test('a deep reorganisation is followed while half of the requests fail', async () => {
  const source = await doors.published()
  const last = await doors.head()
  await doors.chain.reorganise(15)
  await doors.chain.mine(1)
  const random = createRandom(3)
  doors.first.fault = () => (random.integer(2) === 0 ? { status: 500 } : undefined)
  await readOnceMore(source, last + 1)
  expect(source.steps[0]!.revertTo).toMatchObject({ number: last - 15 })
  expect(source.history()[0]!.hash).toBe(await doors.hashAt(last + 1))
  expect(doors.first.calls.length).toBeLessThan(250)
})

/** As the runtime does: a reading that ends because no endpoint answers is begun again. */
async function readOnceMore(source: RecordingSource, end: number): Promise<void> {
  try {
    await source.take(readBlocks(doors.settings({ rpc: doors.first.rpc, end }), source))
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error
    await readOnceMore(source, end)
  }
}
