import {
  CommitUnknownError,
  FencedError,
  type Queue,
  QueueUnavailableError,
  TransactionAbortedError,
} from '@headrace/queue'
import type { RunSummary } from '@headrace/sdk'
import {
  createFaultyQueue,
  createTestProject,
  type Fault,
  type FaultStep,
  type TestProject,
} from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { expectExactlyOnce } from './exactly-once.ts'

const writerId = 'acme.chain.1_0_0/one'
let project: TestProject

/** Runs the chain with one unit in each transaction. */
const runOneByOne = (queue: Queue): Promise<RunSummary> => project.run(chainConnector(), { queue, oneByOne: true })

/** Runs with faults that the runtime must overcome. */
async function overcome(faults: readonly Fault[]): Promise<void> {
  const queue = createFaultyQueue(project.queue, faults)
  expect(await runOneByOne(queue)).toMatchObject({ units: 21, reason: 'ended' })
  expect(queue.pending).toEqual([])
  await expectExactlyOnce(project, 20)
}

/** Runs with a fault that ends the run, then again without it. */
async function recover(faults: readonly (Fault & { error: Error })[]): Promise<void> {
  const queue = createFaultyQueue(project.queue, faults)
  await expect(runOneByOne(queue)).rejects.toBe(faults.at(-1)!.error)
  expect(queue.pending).toEqual([])
  await project.run(chainConnector())
  await expectExactlyOnce(project, 20)
}

// The simulation covers these on Kafka.
describe('a fault of the queue', () => {
  beforeEach(async () => {
    project = await createTestProject(new URL('chain', import.meta.url), { settings: { chain: 'one' } })
  })
  afterEach(() => project.close())

  describe('overcome within a run', () => {
    test.each([1, 2, 3])('commit %i is refused: the same units are committed by the next transaction', async (time) => {
      await overcome([{ step: 'commit', time, error: new TransactionAbortedError('refused') }])
    })

    test('several commits in a row are refused', async () => {
      const times = [2, 3, 4, 5]
      await overcome(times.map((time) => ({ step: 'commit', time, error: new TransactionAbortedError('refused') })))
    })

    test.each([1, 2, 3])('commit %i is not answered and did not happen: it is repeated', async (time) => {
      await overcome([{ step: 'commit', time, error: new CommitUnknownError(writerId) }])
    })

    test.each([1, 2, 3])('commit %i is not answered and did happen: it is not repeated', async (time) => {
      await overcome([{ step: 'committed', time, error: new CommitUnknownError(writerId) }])
    })

    test('a commit is refused, then not answered', async () => {
      await overcome([
        { step: 'commit', time: 2, error: new TransactionAbortedError('refused') },
        { step: 'committed', time: 2, error: new CommitUnknownError(writerId) },
      ])
    })
  })

  describe('ends the run, and the next one continues', () => {
    const crashes: [FaultStep, number][] = [
      ['openWriter', 1],
      ['latest', 1],
      ['begin', 1],
      ['begin', 2],
      ['send', 1],
      ['send', 4],
      ['send', 5],
      ['commit', 1],
      ['commit', 2],
      ['committed', 1],
      ['committed', 2],
    ]
    test.each(crashes)('a crash at %s number %i', async (step, time) => {
      await recover([{ step, time, error: new Error('crash') }])
    })

    test('another run has fenced this one', async () => {
      await recover([{ step: 'commit', time: 2, error: new FencedError(writerId) }])
    })

    test('a transaction cannot be begun', async () => {
      await recover([{ step: 'begin', time: 3, error: new QueueUnavailableError('no broker') }])
    })

    test('a refused transaction cannot be aborted', async () => {
      await recover([
        { step: 'commit', time: 2, error: new TransactionAbortedError('refused') },
        { step: 'abort', time: 1, error: new QueueUnavailableError('no broker') },
      ])
    })

    test('the writer cannot be opened again after a commit that happened without an answer', async () => {
      await recover([
        { step: 'committed', time: 2, error: new CommitUnknownError(writerId) },
        { step: 'openWriter', time: 2, error: new QueueUnavailableError('no broker') },
      ])
    })
  })

  test('a commit that is refused during a stop does not delay it', async () => {
    const controller = new AbortController()
    const faulty = createFaultyQueue(project.queue, [
      { step: 'commit', time: 1, error: new TransactionAbortedError('refused') },
    ])
    const connector = chainConnector(async (unit) => {
      if (unit.checkpoint.number === 1) controller.abort()
      return unit
    })
    expect(await project.run(connector, { queue: faulty, signal: controller.signal })).toMatchObject({
      reason: 'stopped',
    })
    await project.run(chainConnector())
    await expectExactlyOnce(project, 20)
  })
})
