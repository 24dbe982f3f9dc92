import { once } from 'node:events'
import { FencedError, QueueUnavailableError, TransactionAbortedError, TransactionTimedOutError } from '@headrace/queue'
import { RetryableError } from '@headrace/sdk'
import { createFaultyQueue, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BlockUnit, chainConnector, unitOf } from './chain/connector.ts'
import { openChain } from './chain/open.ts'
import { expectExactlyOnce } from './exactly-once.ts'
import { createPausePoint } from './half-way.ts'
import { type QueueCalls, recordingQueue } from './recording-queue.ts'

const blocks = 'acme.chain.1_0_0.test_Block'
const transactions = 'acme.chain.1_0_0.test_Transaction'
const checkpoints = '_headrace.checkpoints'
const writerId = 'acme.chain.1_0_0/test'

let project: TestProject
let calls: QueueCalls
beforeEach(async () => {
  project = await openChain()
  calls = []
})
afterEach(() => project.close())

/** Units 0 to 20, each after the commit of the previous one. */
function oneByOne() {
  let committed = Promise.withResolvers<void>()
  const connector = chainConnector(async (unit, { signal }) => {
    if (unit.checkpoint.number > 0) await Promise.race([committed.promise, once(signal, 'abort')])
    committed = Promise.withResolvers()
    return unit
  })
  return { connector, observer: { onCommit: () => committed.resolve() } }
}

/** The calls of a run over units 0 to 20, with one unit in each transaction. */
const aTransactionForEachUnit = Array.from({ length: 21 }, (_, number) => [
  'begin',
  `send ${blocks}`,
  ...unitOf(number).messages.Transaction.map(() => `send ${transactions}`),
  `send ${checkpoints}`,
  `send ${checkpoints}`,
  'commit',
]).flat()

describe('the start', () => {
  test('checks the registry, fences, reads the checkpoint, creates topics and starts the source, in this order', async () => {
    const connector = chainConnector((unit) => {
      calls.push('source')
      return unit
    })
    await project.run(connector, { queue: recordingQueue(project.queue, calls) })
    const order = [
      calls.findIndex((call) => call.startsWith('createTopics _headrace.')),
      calls.indexOf('highWatermark _headrace.registry'),
      calls.indexOf('openWriter'),
      calls.lastIndexOf(`latest ${checkpoints}`),
      calls.indexOf(`createTopics ${blocks} ${transactions}`),
      calls.indexOf('append _headrace.registry'),
      calls.indexOf('source'),
    ]
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
  })

  test('that is refused fences no other run', async () => {
    const pausePoint = createPausePoint()
    const run = project.run(
      chainConnector(async (unit) => {
        if (unit.checkpoint.number === 10) await pausePoint.pause()
        return unit
      }),
    )
    await pausePoint.reached
    await using other = await openChain({ instance: 'other' })
    const refused = other.run(chainConnector(), { queue: recordingQueue(project.queue, calls) })
    await expect(refused).rejects.toMatchObject({ code: 'registration_refused' })
    expect(calls).not.toContain('openWriter')
    pausePoint.resume()
    expect(await run).toMatchObject({ units: 21, reason: 'ended' })
    await expectExactlyOnce(project, 20)
  })
})

describe('a transaction', () => {
  test('contains the records of a unit in their order, then the checkpoint, while the source waits', async () => {
    const { connector, observer } = oneByOne()
    await project.run(connector, { queue: recordingQueue(project.queue, calls), observer })
    expect(calls.slice(calls.indexOf('begin'), -1)).toEqual(aTransactionForEachUnit)
  })

  test('contains only whole units, and all units that are ready together', async () => {
    const unit = (number: number): BlockUnit => ({
      ...unitOf(number),
      messages: { Block: Array(40).fill(unitOf(number).messages.Block[0]) },
    })
    await project.run(
      chainConnector(({ checkpoint }) => unit(checkpoint.number)),
      {
        queue: recordingQueue(project.queue, calls),
      },
    )
    const commits = calls.join('\n').split('begin\n').slice(1)
    expect(commits.length).toBeLessThan(21)
    for (const commit of commits)
      expect(commit.split(`send ${blocks}`).length - 1).toSatisfy((count: number) => count > 0 && count % 40 === 0)
    const inOneUnit = Map.groupBy(await project.records('Block'), ({ unit }) => unit)
    expect([...inOneUnit.values()].map((records) => records.length)).toEqual(Array(21).fill(40))
  })

  test('contains one unit if grouping is off, for any number of ready units', async () => {
    await project.run(chainConnector(), { queue: recordingQueue(project.queue, calls), group: 'off' })
    expect(calls.slice(calls.indexOf('begin'), -1)).toEqual(aTransactionForEachUnit)
  })
})

describe('a commit', () => {
  test('that is refused is repeated with the same unit, in the same order', async () => {
    const { connector, observer } = oneByOne()
    const faulty = createFaultyQueue(project.queue, [
      { step: 'commit', time: 4, error: new TransactionAbortedError('refused') },
    ])
    await project.run(connector, { queue: recordingQueue(faulty, calls), observer })
    const ofUnit = [
      'begin',
      `send ${blocks}`,
      ...Array(3).fill(`send ${transactions}`),
      ...Array(2).fill(`send ${checkpoints}`),
      'commit',
    ]
    expect(calls.join()).toContain([...ofUnit, 'abort', ...ofUnit, 'begin'].join())
    await expectExactlyOnce(project, 20)
  })

  test('that the broker timed out does not fence the run, which continues', async () => {
    const faulty = createFaultyQueue(project.queue, [
      { step: 'commit', time: 1, error: new TransactionTimedOutError(writerId) },
    ])
    expect(await project.run(chainConnector(), { queue: faulty })).toMatchObject({ units: 21 })
    expect(faulty.pending).toEqual([])
    await expectExactlyOnce(project, 20)
  })

  test('of a fenced run ends it with `fenced`, and is not repeated', async () => {
    const by = { claim: 'another', host: 'elsewhere', time: 0 }
    const error = new FencedError(writerId, { by })
    const faulty = createFaultyQueue(project.queue, [{ step: 'commit', time: 2, error }])
    const { connector, observer } = oneByOne()
    const run = project.run(connector, { queue: recordingQueue(faulty, calls), observer })
    await expect(run).rejects.toMatchObject({
      code: 'fenced',
      message: expect.stringContaining(
        `Run another on host "elsewhere" claimed "${writerId}" at 1970-01-01T00:00:00.000Z, so this run stops`,
      ),
    })
    expect(calls.filter((call) => call === 'openWriter')).toHaveLength(1)
    expect(calls.filter((call) => call === 'begin')).toHaveLength(2)
  })

  test.each(['begin', 'abort'] as const)('ends the run if %s fails', async (step) => {
    const error = new QueueUnavailableError('no broker')
    const faulty = createFaultyQueue(project.queue, [
      ...(step === 'abort'
        ? [{ step: 'commit' as const, time: 2, error: new TransactionAbortedError('refused') }]
        : []),
      { step, time: step === 'begin' ? 2 : 1, error },
    ])
    const { connector, observer } = oneByOne()
    await expect(project.run(connector, { queue: faulty, observer })).rejects.toBe(error)
    await project.run(chainConnector())
    await expectExactlyOnce(project, 20)
  })
})

test('a source that is unreachable for longer than the budget ends the run with its own error', async () => {
  const error = new (class extends RetryableError {})('rpc_unavailable', 'The node does not answer.')
  const connector = chainConnector(() => {
    throw error
  })
  const retry = { firstMs: 1, maxMs: 1, budgetMs: 20 }
  await expect(project.run(connector, { retry })).rejects.toBe(error)
})

test('a stop aborts the signal, commits what was yielded, ends the source, and then closes the writer', async () => {
  const stop = new AbortController()
  const connector = chainConnector()
  const run = project.run(
    {
      ...connector,
      async *read({ signal }) {
        try {
          yield unitOf(0)
          yield unitOf(1)
          queueMicrotask(() => stop.abort())
          await once(signal, 'abort')
          calls.push('signal')
        } finally {
          calls.push('source ended')
        }
      },
    },
    { queue: recordingQueue(project.queue, calls), signal: stop.signal },
  )
  expect(await run).toMatchObject({ units: 2, reason: 'stopped' })
  const order = ['signal', 'source ended', 'close writer'].map((call) => calls.indexOf(call))
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((one, other) => one - other))
  expect(calls.lastIndexOf('commit')).toBeLessThan(calls.indexOf('close writer'))
})

test('fetching and encoding continue during a commit', async () => {
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>()
  let read = 0
  const queue = recordingQueue(project.queue, calls)
  const slow = {
    ...queue,
    async openWriter(options: Parameters<typeof queue.openWriter>[0]) {
      const writer = await queue.openWriter(options)
      return {
        ...writer,
        begin() {
          const transaction = writer.begin()
          return {
            ...transaction,
            async commit() {
              await committed
              await transaction.commit()
            },
          }
        },
      }
    },
  }
  const run = project.run(
    chainConnector((unit) => {
      read++
      return unit
    }),
    { queue: slow },
  )
  await expect.poll(() => read).toBe(21)
  expect(await project.checkpoint()).toBeUndefined()
  commit()
  await run
  expect(calls.filter((call) => call === 'begin')).toHaveLength(2)
  await expectExactlyOnce(project, 20)
})
