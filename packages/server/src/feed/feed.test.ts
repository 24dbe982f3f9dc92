import { once } from 'node:events'
import { PositionLostError, type Queue } from '@headrace/queue'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { History } from '../history/history.ts'
import { limits } from '../options/limits.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import { createFeed } from './feed.ts'

/** A feed of a topic without records, until following it fails. */
function openFeed(failure?: Error, start = 0n) {
  const stop = new AbortController()
  const invalidate = vi.fn()
  const follow = async function* (_: unknown, { signal }: { signal: AbortSignal }) {
    if (failure) throw failure
    await once(signal, 'abort')
    yield* []
  }
  const history = { invalidate } as unknown as History
  const feed = createFeed({
    ...{ queue: { follow } as unknown as Queue, history, topic: { name: 'a.b' } as ServedTopic },
    ...{ start: [start], refresh: (topic) => topic, limits: { ...limits, feedLingerMs: 20 } },
    ...{ signal: stop.signal, log: pino({ level: 'silent' }), onUnused: () => stop.abort() },
  })
  return { feed, invalidate, unused: stop.signal }
}

const reader = { wake: () => {}, end: () => {} }

test('a feed without a reader ends', async () => {
  const { unused } = openFeed()
  await once(unused, 'abort')
})

test('a feed ends feedLingerMs after its last reader has left', async () => {
  const { feed, unused } = openFeed()
  const [leave, leaveToo] = [feed.join(reader), feed.join({ ...reader })]
  leave()
  await new Promise((passed) => setTimeout(passed, 60))
  expect(unused.aborted).toBe(false)
  leaveToo()
  await once(unused, 'abort')
})

test('cached records of a truncated log are not served', async () => {
  const place = { topic: 'a.b', partition: 0, offset: 9n }
  const { unused, invalidate } = openFeed(new PositionLostError(place, { earliest: 0n, end: 5n }, 'truncated'))
  await once(unused, 'abort')
  expect(invalidate).toHaveBeenCalledWith({ name: 'a.b' })
})

test('a feed overtaken by retention continues with the existing records and wakes its readers', async () => {
  const followed: bigint[] = []
  const stop = new AbortController()
  const follow = async function* ([place]: readonly { offset: bigint }[], { signal }: { signal: AbortSignal }) {
    followed.push(place!.offset)
    const lost = { topic: 'a.b', partition: 0, offset: place!.offset }
    if (place!.offset < 7n) throw new PositionLostError(lost, { earliest: 7n, end: 9n })
    await once(signal, 'abort')
    yield* []
  }
  const feed = createFeed({
    ...{ queue: { follow } as unknown as Queue, history: {} as History, topic: { name: 'a.b' } as ServedTopic },
    ...{ start: [0n], refresh: (topic) => topic, limits, signal: stop.signal, log: pino({ level: 'silent' }) },
    onUnused() {},
  })
  await new Promise<void>((wake) => feed.join({ wake, end: () => {} }))
  expect(followed).toEqual([0n, 7n])
  expect(feed.partitions[0]).toMatchObject({ from: 7n, to: 7n })
  stop.abort()
})

test('a feed ends if records before its place are reported lost', async () => {
  const lost = { topic: 'a.b', partition: 0, offset: 0n }
  const { unused } = openFeed(new PositionLostError(lost, { earliest: 5n, end: 9n }), 7n)
  await once(unused, 'abort')
})
