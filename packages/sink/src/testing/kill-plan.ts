import type { SinkBatch, SinkTopic } from '../destination/destination.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog, type TopicLog } from './topic-log.ts'

const topics: readonly SinkTopic[] = ['shop_Order', 'shop_Return'].map((name) => testTopic(name, undefined, 2))

/** Batches of each topic, the same in each process. */
export interface KillPlan {
  readonly topics: readonly SinkTopic[]
  readonly batches: readonly (readonly SinkBatch[])[]
}

/** @param withReverts - Every third batch reverts the end of the one before it. */
export function createKillPlan(withReverts: boolean, count = 60): KillPlan {
  return { topics, batches: topics.map((topic) => batchesOf(createTopicLog(topic), count, withReverts)) }
}

function batchesOf(log: TopicLog, count: number, withReverts: boolean): SinkBatch[] {
  const batches: SinkBatch[] = []
  for (let n = 0; n < count; n++) {
    const before = batches.at(-1)
    const reverted = withReverts && n % 3 === 2 ? before!.records.slice(-4) : []
    const reverts = reverted.length > 0 ? log.revert(...reverted) : []
    const size = n % 10 === 9 ? 0 : 1 + ((n * 7) % 40)
    const records = Array.from({ length: size }, (_, m) => ({
      partition: m % 2,
      key: `${m % 2} ${m % 5}`,
      value: { id: `${n}`, text: `order ${n} ${m}` },
    }))
    batches.push(log.batch(...reverts, ...log.append(...records)))
  }
  return batches
}
