import type { ReaderPosition } from '@headrace/catalog'
import { PositionLostError } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { HistoryRange, Run } from '../history/run.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { Feed } from './feed.ts'
import { createSubscription } from './subscription.ts'
import type { Gap } from './transport.ts'

const topic = { name: 'a.b', id: 'id', partitions: 1 } as ServedTopic

/** Reads from offset 20 on, with a history that reports a loss each time. */
async function readLost(earliest: bigint) {
  const ring = { from: 100n, to: 100n, at: () => undefined }
  const history = {
    after: async (_: unknown, { partition }: { partition: number }) => {
      throw new PositionLostError({ topic: 'a.b', partition, offset: 10n }, { earliest, end: 100n })
    },
  }
  const feed = { topic, history, partitions: [ring], join: () => () => undefined } as unknown as Feed
  const gaps: Gap[] = []
  const failures: unknown[] = []
  const notified = new Promise<void>((resolve) => {
    const subscription = createSubscription({
      ...{ feed, start: { position: { partitions: [{ offset: 20n, seq: null }] }, onGap: 'skip' } },
      onReady: resolve,
      onGap: (gap) => void gaps.push(gap),
      onFailure(error) {
        failures.push(error)
        resolve()
      },
    })
    subscription.next()
  })
  await notified
  return { gaps, failures }
}

test('a reader skips offsets that were removed before it reached them', async () => {
  expect(await readLost(30n)).toMatchObject({ gaps: [{ reason: 'retention' }], failures: [] })
})

test("a loss before a reader's place does not move it back", async () => {
  const { gaps, failures } = await readLost(15n)
  expect(gaps).toEqual([])
  expect(failures).toEqual([expect.any(PositionLostError)])
})

test.each([
  ['gets no gap if only offsets without a record were removed', 5, []],
  ['gets a gap if the next record was removed', 7, [{ reason: 'retention' }]],
])('a reader with a known next seq %s', (_, seq, notified) => {
  const record = { partition: 0, offset: 30n, seq, json: new Uint8Array(), cursorLength: 0, time: 0 }
  const run: Run = { topic, partition: 0, from: 30n, to: 31n, records: [record], byteLength: 0 }
  const ring = { from: 30n, to: 31n, at: (offset: bigint) => (offset === 30n ? run : undefined) }
  const address = (run: Run, position: ReaderPosition) => {
    position.move(0, { offset: run.to, seq: null })
    return run
  }
  const after = async () => {
    throw new PositionLostError({ topic: 'a.b', partition: 0, offset: 20n }, { earliest: 30n, end: 31n })
  }
  const view = { topic, history: { after }, partitions: [ring], join: () => () => undefined, address }
  const feed = view as unknown as Feed
  const gaps: Gap[] = []
  return new Promise<void>((resolve, reject) => {
    const subscription = createSubscription({
      ...{ feed, onFailure: reject },
      start: { position: { partitions: [{ offset: 20n, seq: 5 }] }, onGap: 'skip' },
      onReady() {
        expect(subscription.position.places).toEqual([{ offset: 20n, seq: 5 }])
        expect(subscription.next()?.records).toEqual([record])
        expect(gaps).toMatchObject(notified)
        resolve()
      },
      onGap: (gap) => void gaps.push(gap),
    })
    subscription.next()
  })
})

test('a slow client gets records of every partition', async () => {
  const partitions = [0, 1, 2]
  const ring = { from: 100n, to: 100n, at: () => undefined }
  const wide = { ...topic, partitions: 3 } as ServedTopic
  const after = async (topic: ServedTopic, { partition, from }: HistoryRange) => {
    return { topic, partition, from, to: from + 1n, records: [], byteLength: 0 }
  }
  const feed = {
    ...{ topic: wide, partitions: partitions.map(() => ring), join: () => () => undefined, history: { after } },
    address(run: Run, position: ReaderPosition) {
      position.move(run.partition, { offset: run.to, seq: null })
      return run
    },
  } as unknown as Feed
  const taken: number[] = []
  let [room, notified] = [0, 0]
  const take = () => {
    if (room === 0) return
    const run = subscription.next()
    if (!run) return
    room--
    taken.push(run.partition)
  }
  const start = { position: { partitions: partitions.map(() => ({ offset: 0n, seq: null })) }, onGap: 'skip' as const }
  const subscription = createSubscription({
    ...{ feed, start },
    onReady() {
      notified++
      take()
    },
    onGap() {},
    onFailure() {},
  })
  for (let round = 0; round < 6; round++) {
    ;[room, notified] = [1, 0]
    take()
    while (notified < partitions.length) await new Promise(setImmediate)
  }
  expect(partitions.map((partition) => taken.filter((each) => each === partition).length)).toEqual([2, 2, 2])
})
