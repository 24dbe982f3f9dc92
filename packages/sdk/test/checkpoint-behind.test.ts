import { checkpointKey, checkpointPartition, systemTopics } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject(new URL('chain', import.meta.url))
})
afterEach(() => project.close())

/** The queue with a checkpoint from a backup; `undefined`: without one. */
function withCheckpoint(found: QueueRecord | undefined): { queue: Queue; opened: () => number } {
  let opened = 0
  const latest: Queue['latest'] = async (topic, ...place) =>
    topic === systemTopics.checkpoints ? found : project.queue.latest(topic, ...place)
  const read: Queue['read'] = async (at, limits) => {
    const answer = await project.queue.read(at, limits)
    if (at.topic !== systemTopics.checkpoints) return answer
    return { ...answer, batches: answer.batches.filter(({ baseOffset }) => found && baseOffset <= found.offset) }
  }
  const openWriter: Queue['openWriter'] = (options) => {
    opened++
    return project.queue.openWriter(options)
  }
  const queue: Queue = Object.create(project.queue, {
    latest: { value: latest },
    read: { value: read },
    openWriter: { value: openWriter },
  })
  return { queue, opened: () => opened }
}

function readStored(): Promise<QueueRecord | undefined> {
  const { writerId } = project.instance
  return project.queue.latest(systemTopics.checkpoints, checkpointPartition(writerId), checkpointKey(writerId))
}

test('a run without a checkpoint is refused if its topics contain records, and fences no other run', async () => {
  await project.run(chainConnector(), { stopAfter: 3 })
  const { queue, opened } = withCheckpoint(undefined)
  const refused = project.run(chainConnector(), { queue })
  await expect(refused).rejects.toMatchObject({ code: 'checkpoint_behind' })
  await expect(refused).rejects.toThrow(
    '"acme.chain.1_0_0.test_Block" partition 0 holds 3 records that "acme.chain.1_0_0/test" has published, and it has ' +
      'no checkpoint.',
  )
  expect(opened()).toBe(0)
})

test('a run with an outdated checkpoint is refused', async () => {
  await project.run(chainConnector(), { stopAfter: 3 })
  const stored = await readStored()
  await project.run(chainConnector())
  const refused = project.run(chainConnector(), { queue: withCheckpoint(stored).queue })
  await expect(refused).rejects.toThrow(
    'holds 21 records that "acme.chain.1_0_0/test" has published, and its checkpoint',
  )
})

test('a run with publishAgain continues the numbers of the published records', async () => {
  await project.run(chainConnector(), { stopAfter: 3 })
  const { queue } = withCheckpoint(undefined)
  expect(await project.run(chainConnector(), { queue, publishAgain: true })).toMatchObject({ units: 21 })
  const blocks = await project.records('Block')
  expect(blocks.map(({ seq }) => seq)).toEqual(Array.from({ length: 24 }, (_, seq) => seq))
  expect(blocks.map(({ value }) => Number((value as { Number: string }).Number)).slice(0, 5)).toEqual([0, 1, 2, 0, 1])
  expect(await project.storedCheckpoint()).toMatchObject({ unit: 24 })
  expect(await project.run(chainConnector())).toMatchObject({ units: 0 })
})

test('a run with publishAgain continues as usual if its checkpoint covers all records', async () => {
  await project.run(chainConnector(), { stopAfter: 3 })
  expect(await project.run(chainConnector(), { publishAgain: true })).toMatchObject({ units: 18 })
  expect(await project.records('Block')).toHaveLength(21)
})
