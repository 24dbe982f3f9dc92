import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { Feed } from './feed.ts'
import { createLane } from './subscription.ts'

const place = { offset: 0n, seq: null }

/** A lane that reads from the history, and the number of these reads. */
function openLane() {
  const topic = { name: 'a.b' } as ServedTopic
  const run = { topic, partition: 0, from: 0n, to: 10n, records: [], byteLength: 0 }
  const [callbacks, readings] = [{ onReady: () => {} }, { count: 0 }]
  const after = async () => {
    readings.count++
    return run
  }
  const lane = createLane({
    feed: { topic, history: { after }, partitions: [{ from: 100n, to: 200n, at: () => undefined }] } as unknown as Feed,
    ...{ partition: 0, canonical: undefined },
    onReady: () => callbacks.onReady(),
    onFailure(error) {
      throw error
    },
  })
  const ready = () => new Promise<void>((resolve) => Object.assign(callbacks, { onReady: resolve }))
  return { lane, callbacks, readings, run, ready }
}

test('a client that takes a fetched run during onReady gets it', async () => {
  const { lane, callbacks, run, readings } = openLane()
  const taken = new Promise((resolve) => {
    callbacks.onReady = () => resolve(lane.next(place))
  })
  expect(lane.next(place)).toBeUndefined()
  expect(await taken).toBe(run)
  expect(readings.count).toBe(1)
})

test('a fetched run is not kept for a client that does not take it', async () => {
  const { lane, readings, ready } = openLane()
  const callbacks = ready()
  lane.next(place)
  await callbacks
  const calledAgain = ready()
  expect(lane.next(place)).toBeUndefined()
  await calledAgain
  expect(readings.count).toBe(2)
})
