import type { Queue, WriterOptions } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { expectExactlyOnce } from './exactly-once.ts'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject(new URL('chain', import.meta.url))
})
afterEach(() => project.close())

/** A queue with a method that waits first. */
function holding(method: 'createTopics' | 'openWriter' | 'latest') {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const opened: WriterOptions[] = []
  const hold = async (name: string) => {
    if (name !== method) return
    reach()
    await released
  }
  const queue: Queue = {
    engine: project.queue.engine,
    createTopics: (specs) => hold('createTopics').then(() => project.queue.createTopics(specs)),
    describe: (topics) => project.queue.describe(topics),
    async openWriter(options) {
      await hold('openWriter')
      opened.push(options)
      return project.queue.openWriter(options)
    },
    append: (records) => project.queue.append(records),
    read: (at, limits) => project.queue.read(at, limits),
    latest: (...place) => hold('latest').then(() => project.queue.latest(...place)),
    highWatermark: (...place) => project.queue.highWatermark(...place),
    offsetForTime: (...place) => project.queue.offsetForTime(...place),
    deleteBefore: (...place) => project.queue.deleteBefore(...place),
    follow: (positions, options) => project.queue.follow(positions, options),
    metrics: () => project.queue.metrics(),
    close: () => project.queue.close(),
  }
  return { queue, reached, release, opened }
}

const stopped = { units: 0, records: 0, bytes: 0, badMessages: 0, reason: 'stopped' }

test.each(['createTopics', 'openWriter', 'latest'] as const)(
  'a run that is stopped while it waits for %s ends immediately',
  async (method) => {
    const { queue, reached, release } = holding(method)
    const stop = new AbortController()
    const run = project.run(chainConnector(), { queue, signal: stop.signal })
    await reached
    stop.abort()
    expect(await run).toEqual(stopped)
    release()
    await project.run(chainConnector())
    await expectExactlyOnce(project, 20)
  },
)

test('a run that is stopped before it fences the earlier one never does', async () => {
  const { queue, reached, release, opened } = holding('createTopics')
  const stop = new AbortController()
  const run = project.run(chainConnector(), { queue, signal: stop.signal })
  await reached
  stop.abort()
  await run
  release()
  await project.run(chainConnector())
  expect(opened).toEqual([])
})

test('a run whose signal is aborted before the start changes nothing', async () => {
  expect(await project.run(chainConnector(), { signal: AbortSignal.abort() })).toEqual(stopped)
  expect(await project.queue.describe()).toEqual([])
})
