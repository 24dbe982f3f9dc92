import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Source, Units } from '../../connector/connector.ts'
import type { Schema } from '../../connector/schema.ts'
import { openSourceSession, type SourceSession } from './publish-source.ts'

const schema: Schema = { messages: {}, config: {} }

function open(read: (source: Source) => Units, signal: AbortSignal = new AbortController().signal): SourceSession {
  const source = { config: {}, history: () => [], signal, log: pino({ level: 'silent' }), progress: () => {} }
  return openSourceSession({ schema, read }, source)
}

const never = () => new Promise<never>(() => {})

test('next returns the units in order, then the end', async () => {
  const session = open(async function* () {
    yield { checkpoint: 1 }
    yield { checkpoint: 2 }
  })
  expect(await session.next()).toEqual({ kind: 'unit', unit: { checkpoint: 1 } })
  expect(await session.next()).toEqual({ kind: 'unit', unit: { checkpoint: 2 } })
  expect(await session.next()).toEqual({ kind: 'ended' })
})

test('an error of read is returned as a step, at whatever point read throws it', async () => {
  const error = new Error('unreachable')
  const later = open(async function* () {
    yield { checkpoint: 1 }
    throw error
  })
  await later.next()
  expect(await later.next()).toEqual({ kind: 'failed', error })
  const atOnce = open(() => {
    throw error
  })
  expect(await atOnce.next()).toEqual({ kind: 'failed', error })
})

test('a read that is not a generator is an error of the connector', async () => {
  const session = open((async () => {}) as unknown as () => Units)
  expect(await session.next()).toMatchObject({ kind: 'failed', error: { code: 'invalid_connector' } })
})

test("an abort ends the wait immediately, aborts the source's signal, and discards later units", async () => {
  const controller = new AbortController()
  let seen: AbortSignal | undefined
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const session = open(async function* ({ signal }) {
    seen = signal
    await late
    yield { checkpoint: 1 }
  }, controller.signal)
  const step = session.next()
  await expect.poll(() => seen).toBeDefined()
  controller.abort()
  resolve()
  expect(await step).toEqual({ kind: 'interrupted' })
  expect(seen!.aborted).toBe(true)
  expect(await session.next()).toEqual({ kind: 'interrupted' })
})

test('read is not called after an abort', async () => {
  const session = open(() => {
    throw new Error('called')
  }, AbortSignal.abort())
  expect(await session.next()).toEqual({ kind: 'interrupted' })
})

test("close aborts the source's signal and runs its finally blocks", async () => {
  const events: string[] = []
  const session = open(async function* ({ signal }) {
    signal.addEventListener('abort', () => events.push('aborted'))
    try {
      yield { checkpoint: 1 }
    } finally {
      events.push('cleaned up')
    }
  })
  await session.next()
  await session.close(1000)
  expect(events).toEqual(['aborted', 'cleaned up'])
})

test('close does not wait longer than the grace period for a source that ignores its signal', async () => {
  const session = open(async function* () {
    yield { checkpoint: 1 }
    await never()
  })
  await session.next()
  const stuck = session.next()
  await session.close(1)
  expect(await stuck).toEqual({ kind: 'interrupted' })
})

test('a source is notified of the number of its committed units', async () => {
  const reported: number[] = []
  const session = open(async function* ({ onCommit }) {
    onCommit((units) => reported.push(units))
    yield { checkpoint: 1 }
  })
  await session.next()
  session.committed(1)
  session.committed(3)
  expect(reported).toEqual([1, 4])
})

test('an error of a commit listener fails the session, even while it waits for a unit', async () => {
  const error = new Error('cannot acknowledge')
  const session = open(async function* ({ onCommit }) {
    onCommit(() => {
      throw error
    })
    yield { checkpoint: 1 }
    await never()
  })
  await session.next()
  const waiting = session.next()
  session.committed(1)
  expect(await waiting).toEqual({ kind: 'failed', error })
  expect(await session.next()).toEqual({ kind: 'failed', error })
})

test('an error of an iterator during close is ignored', async () => {
  const iterator = {
    next: async () => ({ done: false, value: { checkpoint: 1 } }),
    return() {
      throw new Error('closed already')
    },
  }
  const session = open(() => iterator as unknown as Units)
  expect(await session.next()).toEqual({ kind: 'unit', unit: { checkpoint: 1 } })
  await session.close(1000)
})
