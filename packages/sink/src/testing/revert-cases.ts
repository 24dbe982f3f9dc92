import type { DestinationCase } from './case.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog } from './topic-log.ts'

const value = (text: string) => ({ id: '1', text })

export const revertCases: readonly DestinationCase[] = [
  {
    name: 'a revert removes the record of an earlier batch',
    needs: 'reverts',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const records = log.append({ value: value('a') }, { value: value('b') }, { value: value('c') })
      await bench.store([log.topic], log.batch(...records))
      await bench.store([log.topic], log.batch(...log.revert(...records.slice(1))))
      await bench.store([log.topic], log.batch(...log.append({ value: value('d') })))
    },
  },
  {
    name: 'a revert removes a record of the same batch, also if it is appended again',
    needs: 'reverts',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const first = log.append({ key: 'k', value: value('a') }, { key: 'l', value: value('b') })
      const reverts = log.revert(...first)
      const second = log.append({ key: 'k', value: value('a') })
      const undone = log.revert(...second)
      const third = log.append({ key: 'k', value: value('a') }, { key: 'm', value: value('c') })
      await bench.store([log.topic], log.batch(...first, ...reverts, ...second, ...undone, ...third))
    },
  },
  {
    name: 'versions of a key are reverted one after the other',
    needs: 'reverts',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const versions = ['a', 'b', 'c', 'd'].map((text) => log.append({ key: 'k', value: value(text) })[0]!)
      const removed = log.append({ key: 'k', value: null })
      const destination = await bench.start([log.topic])
      await bench.apply(destination, log.batch(...versions), log.batch(...removed))
      await bench.check([log.topic])
      for (const version of [...removed, ...versions.slice(1).toReversed()]) {
        await bench.apply(destination, log.batch(...log.revert(version)))
        await bench.check([log.topic])
      }
      await bench.apply(destination, log.batch(...log.append({ key: 'k', value: value('e') })))
      await bench.check([log.topic])
    },
  },
  {
    name: 'a revert concerns only its topic and its partition',
    needs: 'reverts',
    async run(bench) {
      const logs = ['shop_Order', 'shop_Return'].map((name) => createTopicLog(testTopic(name, undefined, 2)))
      const topics = logs.map(({ topic }) => topic)
      const records = logs.map((log) =>
        log.append(...[0, 1, 0, 1].map((partition) => ({ partition, value: value(`${partition}`) }))),
      )
      await bench.store(topics, logs[0]!.batch(...records[0]!), logs[1]!.batch(...records[1]!))
      await bench.store(topics, logs[0]!.batch(...logs[0]!.revert(records[0]![3]!)))
      await bench.store(topics, logs[1]!.batch(...logs[1]!.revert(...records[1]!)))
    },
  },
  {
    name: 'a record without a value, or with an error, is stored and reverted',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const records = log.append(
        { value: null },
        { value: null, error: { code: 'decode_failed' } },
        { value: {} },
        { value: value('a') },
      )
      await bench.store([log.topic], log.batch(...records))
      if (bench.definition.records === 'final') return
      await bench.store([log.topic], log.batch(...log.revert(...records)))
      await bench.store([log.topic], log.batch(...log.append({ value: null }, { value: value('b') })))
    },
  },
]
