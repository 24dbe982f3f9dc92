import type { FieldType } from '../field/topic-fields.ts'
import type { DestinationCase } from './case.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog, type TopicLog } from './topic-log.ts'

const fields = [
  ...'select order user table null from rowid ctid xmin constructor __proto__ toString'.split(' '),
  // Names of members of a record, with and without a prefix.
  ...'topic partition seq key value op time _partition _seq _key _time _unit _error'.split(' '),
  ...'camelCase camel_case CamelCase CAMELCASE camelcase camel_case_4 a__b _ __ a1 a_1'.split(' '),
  ...['b'.repeat(63), 'b'.repeat(64), `${'b'.repeat(64)}c`, `${'b'.repeat(64)}C`, 'd'.repeat(200)],
]

const topics = [
  ...'select order Order ORDER headrace_sinks delivered cursor a-b a_b a.b c.b .. - _'.split(' '),
  ...['x'.repeat(60), 'x'.repeat(64), 'x'.repeat(200)],
]

export const nameCases: readonly DestinationCase[] = [
  {
    name: 'a field may have any name',
    async run(bench) {
      // Fields of different types keep a value from being stored under another name.
      const types = Object.fromEntries(fields.map((name, n): [string, FieldType] => [name, n % 2 ? 'string' : 'int64']))
      const log = createTopicLog(testTopic('shop_Order', types))
      const value = Object.fromEntries(fields.map((name, n) => [name, n % 2 ? `text ${n}` : `${n}`]))
      await bench.store([log.topic], log.batch(...log.append({ value }, { value: {} })))
      await bench.store([log.topic], log.batch(...log.append({ value })))
    },
  },
  {
    name: 'a topic may have any name, also one that differs little from another one',
    async run(bench) {
      const logs: TopicLog[] = []
      for (const name of topics) {
        const log = createTopicLog(testTopic(name))
        const destination = await bench.tryStart([...logs, log].map(({ topic }) => topic))
        if (!destination) continue
        await bench.end(destination)
        logs.push(log)
      }
      const batches = logs.map((log, n) => log.batch(...log.append({ value: { id: `${n}`, text: log.topic.topic } })))
      await bench.store(
        logs.map(({ topic }) => topic),
        ...batches,
      )
    },
  },
]
