import type { Queue } from '@headrace/queue'
import type { TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openChain } from './chain/open.ts'
import { expectReplayed } from './reverts/replay.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

let project: TestProject
beforeEach(async () => {
  project = await openChain()
})
afterEach(() => project.close())

const blockTopic = 'acme.chain.1_0_0.test_Block'
const units = parseScript('a0 a1 a2 a3 a4 a5 a1<b2 b3')
const published = units.slice(0, 6)

/** A queue with altered reads. */
const queueWithRead = (read: Queue['read']): Queue => Object.create(project.queue, { read: { value: read } })

test('a broker whose first answers are empty hides no record from a revert', async () => {
  let held = 0
  const queue = queueWithRead(async (at, limits) => {
    const { end } = await project.queue.read(at, limits)
    if (at.offset < end && held++ % 3 < 2) return { batches: [], next: at.offset, end }
    return project.queue.read(at, limits)
  })
  await project.run(scriptConnector(published))
  await project.run(scriptConnector(units), { queue })
  expect(held).toBeGreaterThan(6)
  await expectReplayed(project, units)
})

test('a revert succeeds if retention removes the records before its own', async () => {
  await project.run(scriptConnector(published))
  const queue = queueWithRead(async (at, limits) => {
    // The units a0 and a1 are not reverted.
    if (at.topic === blockTopic) await project.queue.deleteBefore(blockTopic, 0, 2n)
    return project.queue.read(at, limits)
  })
  expect(await project.run(scriptConnector(units), { queue })).toMatchObject({ units: 2, reason: 'ended' })
  const blocks = await project.records('Block')
  expect(blocks.map(({ seq, reverts }) => reverts ?? seq)).toEqual([2, 3, 4, 5, 5, 4, 3, 2, 10, 11])
})

test.each([
  ['the newest record is', 5n],
  ['another record is', 3n],
])('nothing is reverted if %s lost', async (_, lost) => {
  await project.run(scriptConnector(published))
  const queue = queueWithRead(async (at, limits) => {
    const answer = await project.queue.read(at, limits)
    if (at.topic !== blockTopic) return answer
    const batches = answer.batches.map((batch) => {
      const { topic, partition, baseOffset, nextOffset, maxTime, byteLength } = batch
      const records = () => [...batch.records()].filter(({ offset }) => offset !== lost).values()
      return { topic, partition, baseOffset, nextOffset, maxTime, byteLength, records }
    })
    return { ...answer, batches }
  })
  await expect(project.run(scriptConnector(units), { queue })).rejects.toMatchObject({
    code: 'records_lost',
    message: expect.stringContaining(`"${blockTopic}" partition 0 no longer holds: seq ${lost} is missing`),
  })
  await expectReplayed(project, published)
})

test('nothing is reverted if the oldest record is removed during the revert', async () => {
  await project.run(scriptConnector(published))
  let reads = 0
  const queue = queueWithRead(async (at, limits) => {
    // The first read belongs to the start of the run. The second one plans the revert.
    if (at.topic === blockTopic && ++reads === 3) await project.queue.deleteBefore(blockTopic, 0, 4n)
    return project.queue.read(at, limits)
  })
  await expect(project.run(scriptConnector(units), { queue })).rejects.toMatchObject({
    code: 'records_lost',
    message: expect.stringContaining('were removed while they were reverted'),
  })
  expect((await project.storedCheckpoint())!.unit).toBe(6)
})
