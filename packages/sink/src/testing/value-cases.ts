import type { FieldType } from '../field/topic-fields.ts'
import type { DestinationCase } from './case.ts'
import { hostileValues, refusableValues } from './hostile-values.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog } from './topic-log.ts'

const types = Object.keys(hostileValues) as FieldType[]
const fieldOf = (type: FieldType) => `a_${type}`
const typedTopic = () => testTopic('shop_Value', Object.fromEntries(types.map((type) => [fieldOf(type), type])))

export const valueCases: readonly DestinationCase[] = [
  {
    name: 'the extreme values of each type are stored as they are',
    async run(bench) {
      const log = createTopicLog(typedTopic())
      const batches = types.map((type) => log.batch(...log.append(...hostileValues[type].map(recordOf(type)))))
      await bench.store([log.topic], ...batches)
    },
  },
  {
    name: 'a value is stored as it is, or refused with its whole batch',
    async run(bench) {
      const log = createTopicLog(typedTopic())
      const topics = [log.topic]
      await bench.store(topics, log.batch(...log.append({ value: {} })))
      for (const [type, value] of refusableValues) {
        const destination = await bench.start(topics)
        const batch = log.batch(...log.append({ value: {} }, recordOf(type)(value), { value: {} }))
        await bench.tryApply(destination, batch, `${type} ${JSON.stringify(value).slice(0, 40)}`)
        await bench.end(destination)
        await bench.check(topics)
      }
    },
  },
  {
    name: 'any text is a key',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const keys = (hostileValues.string as string[]).map((key) => ({ key: key.slice(0, 1000), value: { text: 'a' } }))
      await bench.store([log.topic], log.batch(...log.append(...keys)))
    },
  },
  {
    name: 'records of a topic without a schema are stored as they are',
    async run(bench) {
      const log = createTopicLog({ topic: 'other.json.orders', partitions: 1, fields: undefined })
      const values = [{ id: 1, lines: [{ price: 0.1 }] }, {}, { '': null, 'a b': [null] }].map((value) => ({ value }))
      await bench.store([log.topic], log.batch(...log.append(...values, { value: null })))
      await bench.store([log.topic], log.batch(...log.append(...values)))
    },
  },
  {
    name: 'a batch of 10,000 records is stored as one',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order', undefined, 4))
      const records = Array.from({ length: 10_000 }, (_, n) => {
        return { partition: n % 4, value: { id: `${n}`, text: `order ${n}` } }
      })
      const batch = log.batch(...log.append(...records))
      if (bench.definition.records === 'final') return bench.store([log.topic], batch)
      const reverts = log.revert(...batch.records.slice(-200))
      await bench.store([log.topic], batch, log.batch(...reverts))
    },
  },
]

function recordOf(type: FieldType) {
  return (value: unknown) => ({ value: { [fieldOf(type)]: value } })
}
