import type { SinkBatch } from '../destination/destination.ts'
import type { DestinationCase } from './case.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog, type TopicLog } from './topic-log.ts'

export const continuationCases: readonly DestinationCase[] = [
  {
    name: 'a new destination has no cursor, and what is applied has one',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      await bench.store([log.topic], orders(log, 3), orders(log, 1))
    },
  },
  {
    name: 'a run that ends at any step leaves what was applied',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const topics = [log.topic]
      for (let round = 0; round < 3; round++) {
        await bench.end(await bench.open(topics))
        const prepared = await bench.open(topics)
        await prepared.prepare()
        await bench.end(prepared)
        await bench.end(await bench.start(topics))
        await bench.store(topics, orders(log, 2))
      }
    },
  },
  {
    name: 'a run that opens its destination again continues',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const { definition: sink } = bench
      for (let round = 0; round < 3; round++) {
        const destination = await bench.start([log.topic], { sink })
        await bench.apply(destination, orders(log, 2), orders(log, 1))
        await bench.end(destination)
      }
      await bench.check([log.topic])
    },
  },
  {
    name: 'an empty batch moves only the cursor',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      await bench.store([log.topic], log.batch())
      await bench.store([log.topic], orders(log, 2), log.batch(), log.batch())
      await bench.store([log.topic], orders(log, 1))
    },
  },
  {
    name: 'topics and partitions have rows and cursors of their own',
    async run(bench) {
      const logs = ['shop_Order', 'shop_Return', 'shop_Empty'].map((name) =>
        createTopicLog(testTopic(name, undefined, 3)),
      )
      const [one, two] = logs as [TopicLog, TopicLog]
      const topics = logs.map(({ topic }) => topic)
      await bench.store(topics, orders(one, 7, 3), orders(two, 5, 3), orders(one, 4, 2))
      await bench.store(topics, orders(two, 5, 3))
      // A run of one topic leaves the others.
      await bench.store([one.topic], orders(one, 3, 3))
      await bench.store(topics.toReversed(), orders(two, 1), orders(one, 1))
    },
  },
  {
    name: 'a topic that is added to a sink is stored from its beginning',
    async run(bench) {
      const [one, two] = ['shop_Order', 'shop_Return'].map((name) => createTopicLog(testTopic(name)))
      await bench.store([one!.topic], orders(one!, 2))
      await bench.store([one!.topic, two!.topic], orders(two!, 2), orders(one!, 2))
    },
  },
  {
    name: 'records without seq are stored by offset',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order', undefined, 2), { withoutSeq: true })
      await bench.store([log.topic], orders(log, 5, 2))
      await bench.store([log.topic], orders(log, 5, 2))
    },
  },
  {
    name: 'batches that are held are stored with a later one, or come again',
    async run(bench) {
      const logs = ['shop_Order', 'shop_Return'].map((name) => createTopicLog(testTopic(name)))
      const topics = logs.map(({ topic }) => topic)
      const first = await bench.start(topics)
      if (!first.holding) return
      let held: SinkBatch[] = []
      for (const batch of logs.flatMap((log) => [orders(log, 2), orders(log, 3)])) {
        held.push(batch)
        if ((await first.apply(batch)) === 'held') continue
        bench.expectStored(...held.filter(({ topic }) => topic === batch.topic))
        held = held.filter(({ topic }) => topic !== batch.topic)
      }
      await bench.end(first)
      await bench.check(topics)
      const second = await bench.start(topics)
      for (const batch of held) await second.apply(batch)
      for (const { topic } of topics) await second.holding!.flush(topic)
      bench.expectStored(...held)
      await bench.end(second)
      await bench.check(topics)
    },
  },
  {
    name: 'a new field is stored, and earlier rows keep their values',
    async run(bench) {
      const before = createTopicLog(testTopic('shop_Order', { id: 'int64', text: 'string' }))
      await bench.store([before.topic], orders(before, 2))
      const after = testTopic('shop_Order', {
        id: 'int64',
        text: 'string',
        paid: 'bool',
        place: 'json',
        at: 'timestamp',
      })
      await bench.store([after])
      const value = { id: '9', text: 'new', paid: true, place: { city: 'Aarhus' }, at: '2026-01-01T00:00:00Z' }
      await bench.store([after], before.batch(...before.append({ value }, { value: { id: '10' } })))
    },
  },
]

/** A batch with the next records of a topic, in its partitions in turn. */
export function orders(log: TopicLog, count: number, partitions = 1): SinkBatch {
  const records = Array.from({ length: count }, (_, n) => ({
    partition: n % partitions,
    value: { id: `${n}`, text: `order ${n}` },
  }))
  return log.batch(...log.append(...records))
}
