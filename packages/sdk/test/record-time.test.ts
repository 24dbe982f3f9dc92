import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector, genesisSeconds } from './chain/connector.ts'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject(new URL('chain', import.meta.url))
})
afterEach(() => project.close())

/** A chain of 21 blocks, some with wrong times, in seconds. */
const withTimes = (times: Record<number, bigint>) =>
  chainConnector((unit) => {
    const seconds = times[unit.checkpoint.number]
    for (const message of Object.values(unit.messages ?? {}).flat())
      if (seconds !== undefined) message.seconds = seconds
    return unit
  })

const blockTimes = async () => (await project.records('Block')).map(({ time }) => time.getTime())

test('a decreasing time is raised to the previous one, also across runs', async () => {
  const early = BigInt(genesisSeconds - 1000)
  await project.run(withTimes({ 3: early, 4: early }), { stopAfter: 5 })
  await project.run(withTimes({ 5: early, 6: early, 7: early, 8: early, 9: early, 10: early }))
  const times = await blockTimes()
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[3]).toBe(times[2])
  expect(times[20]).toBe((genesisSeconds + 20) * 1000)
})

test('a time in the future becomes the current time, so that it does not raise the times of later records', async () => {
  await project.run(withTimes({ 20: 9_999_999_999n }))
  expect((await blockTimes())[20]).toBeLessThanOrEqual(Date.now())
})
