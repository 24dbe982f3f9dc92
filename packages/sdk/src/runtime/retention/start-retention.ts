import { findLast, findSeq, type NextSeqs } from '@headrace/catalog'
import { createRetention, type Queue, type TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import type { MessageTopic } from '../start/message-topic.ts'

export interface StartRetentionOptions {
  readonly queue: Queue
  readonly topics: Iterable<MessageTopic>
  readonly revertible: NextSeqs | null
  /** Aborted when the run must stop: a pass then ends with its current topic. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly intervalMs?: number
}

export interface RunRetention {
  committed(revertible: NextSeqs | null): void
  end(): Promise<void>
}

/**
 * Applies retention at once and at intervals. Revertible records are kept. A failed pass is repeated at the next
 * interval.
 */
export function startRetention(options: StartRetentionOptions): RunRetention {
  const limited = [...options.topics].filter(({ retention }) => Object.keys(retention).length > 0)
  if (limited.length === 0) return { committed() {}, async end() {} }
  const { queue, signal, log, intervalMs = 60_000 } = options
  const retention = createRetention(queue)
  let { revertible } = options
  let ended = false
  let passing: Promise<void> | undefined

  function start(): void {
    passing ??= passOver().finally(() => {
      passing = undefined
    })
  }

  async function passOver(): Promise<void> {
    try {
      for (const topic of limited) if (!signal.aborted && revertible) await apply(topic, revertible)
    } catch (error) {
      if (!ended) log.warn({ err: error }, 'retention not applied')
    }
  }

  async function apply({ topic, retention: policy }: MessageTopic, revertible: NextSeqs): Promise<void> {
    const [description] = await queue.describe([topic])
    for (const [partition, bounds] of description?.partitions.entries() ?? []) {
      const keepFrom = await firstRevertible(queue, description!, partition, revertible[topic]?.[partition] ?? 0)
      if (keepFrom === undefined) continue
      const place = { topic, topicId: description!.id, partition }
      const earliest = await retention.apply(place, policy, { now: Date.now(), keepFrom })
      if (earliest > bounds.earliest) log.info({ topic, partition, earliest: `${earliest}` }, 'records removed')
    }
  }

  const timer = setInterval(start, intervalMs)
  start()
  return {
    committed(next) {
      revertible = next
    },
    async end() {
      ended = true
      clearInterval(timer)
      await passing
    },
  }
}

/** The offset of the first revertible record, or the end. `undefined`: neither was found, so nothing may be removed. */
async function firstRevertible(
  queue: Queue,
  topic: TopicDescription,
  partition: number,
  wanted: number,
): Promise<bigint | undefined> {
  const { offset, seq } = await findSeq(queue, topic, partition, wanted)
  if (seq !== null) return offset
  const [last] = await findLast(queue, topic, partition, 1)
  return last?.seq === wanted - 1 ? offset : undefined
}
