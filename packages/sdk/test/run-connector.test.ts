import { defineConnector } from '@headrace/sdk'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector, unitOf } from './chain/connector.ts'
import { schema } from './chain/schema.ts'
import { expectExactlyOnce } from './exactly-once.ts'
import { createPausePoint } from './half-way.ts'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject(new URL('chain', import.meta.url))
})
afterEach(() => project.close())

const retry = { firstMs: 1, maxMs: 10, budgetMs: 10_000 }

test('a source is published once, whole and in order, and the run ends with it', async () => {
  const summary = await project.run(chainConnector())
  expect(summary).toMatchObject({ units: 21, records: 21 + 30, badMessages: 0, reason: 'ended' })
  await expectExactlyOnce(project, 20)
})

test('a second run publishes nothing', async () => {
  await project.run(chainConnector())
  expect(await project.run(chainConnector())).toMatchObject({ units: 0, records: 0, reason: 'ended' })
  await expectExactlyOnce(project, 20)
})

test('a run continues where the previous one was stopped', async () => {
  const first = await project.run(chainConnector(), { stopAfter: 5 })
  expect(first).toMatchObject({ units: 5, reason: 'stopped' })
  expect(await project.run(chainConnector())).toMatchObject({ units: 16, reason: 'ended' })
  await expectExactlyOnce(project, 20)
})

test('read is called again from the last committed unit when it throws', async () => {
  const failures = new Set([0, 3, 4, 20])
  const connector = chainConnector((unit) => {
    if (failures.delete(unit.checkpoint.number)) throw new Error('connection reset')
    return unit
  })
  const summary = await project.run(connector, { retry })
  expect(failures.size).toBe(0)
  expect(summary).toMatchObject({ units: 21, reason: 'ended' })
  await expectExactlyOnce(project, 20)
})

test('history holds the yielded units, newest first, down to the final one', async () => {
  const seen: number[][] = []
  const connector = chainConnector((unit, { history }) => {
    seen.push(history().map(({ number }) => number))
    return unit.checkpoint.number === 3 ? { ...unit, final: unitOf(1).checkpoint } : unit
  })
  await project.run(connector, { stopAfter: 21 })
  expect(seen.slice(0, 6)).toEqual([[], [0], [1, 0], [2, 1, 0], [3, 2, 1], [4, 3, 2, 1]])
})

test('the final unit stays in the checkpoint and never decreases', async () => {
  const finals = new Map([
    [3, 2],
    [5, 1],
  ])
  const connector = chainConnector((unit) => {
    const final = finals.get(unit.checkpoint.number)
    return final === undefined ? unit : { ...unit, final: unitOf(final).checkpoint }
  })
  await project.run(connector)
  const { final } = (await project.storedCheckpoint())!
  expect(final?.unit).toBe(3)
  expect(final?.nextSeq['acme.chain.1_0_0.test_Block']).toEqual([3])
})

test('an abort stops a source that waits, and what it yielded is committed', async () => {
  const controller = new AbortController()
  const connector = chainConnector(async (unit, { signal }) => {
    if (unit.checkpoint.number === 4) {
      queueMicrotask(() => controller.abort())
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    return unit
  })
  const summary = await project.run(connector, { signal: controller.signal })
  expect(summary).toMatchObject({ units: 4, reason: 'stopped' })
  await expectExactlyOnce(project, 3)
})

test('a source that never waits can be stopped', async () => {
  const controller = new AbortController()
  const endless = defineConnector({
    schema,
    async *read() {
      setTimeout(() => controller.abort(), 20)
      for (let number = 0; ; number++) yield unitOf(number)
    },
  })
  const { reason, units } = await project.run(endless, { signal: controller.signal })
  expect(reason).toBe('stopped')
  await expectExactlyOnce(project, units - 1)
})

test('a source that ignores its signal is not waited for after the grace period', async () => {
  const controller = new AbortController()
  const connector = chainConnector(async (unit) => {
    if (unit.checkpoint.number < 4) return unit
    queueMicrotask(() => controller.abort())
    return new Promise(() => {})
  })
  const summary = await project.run(connector, { signal: controller.signal, graceMs: 50 })
  expect(summary).toMatchObject({ units: 4, reason: 'stopped' })
  await expectExactlyOnce(project, 3)
})

test('a newer run fences the older one, and nothing is lost or repeated', async () => {
  const pausePoint = createPausePoint()
  const older = project.run(
    chainConnector(async (unit) => {
      if (unit.checkpoint.number === 10) await pausePoint.pause()
      return unit
    }),
  )
  const fenced = expect(older).rejects.toMatchObject({ code: 'fenced' })
  await pausePoint.reached
  await project.run(chainConnector())
  pausePoint.resume()
  await fenced
  await expectExactlyOnce(project, 20)
})

test('an observer sees the start, the commits and the progress', async () => {
  const events: unknown[] = []
  const connector = chainConnector((unit, { progress }) => {
    progress(unit.checkpoint.number, 20)
    return unit
  })
  await project.run(connector, {
    observer: {
      onStart: ({ writerId, checkpoint }) => events.push({ writerId, checkpoint }),
      onCommit: ({ units, unit }) => events.push({ units, unit }),
      onProgress: (at, head) => events.push({ at, head }),
    },
  })
  expect(events[0]).toEqual({ writerId: 'acme.chain.1_0_0/test', checkpoint: null })
  expect(events).toContainEqual({ at: 20, head: 20 })
  expect(events.at(-1)).toEqual({ units: 21, unit: 21 })
})
