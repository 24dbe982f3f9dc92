import { setTimeout as wait } from 'node:timers/promises'
import { PositionLostError, type Queue, type RecordBatch } from '@headrace/queue'
import type { Logger } from 'pino'
import { readTopic } from './read-topic.ts'

export interface FollowTopicOptions {
  readonly queue: Queue
  readonly topic: string
  readonly signal: AbortSignal
  readonly log: Logger
  onBatch(batch: RecordBatch): void
}

const retryMs = 1000

/**
 * Reads a compacted system topic of one partition from its start, and follows it.
 *
 * Resolves when everything is read that was there at the call; goes on in the background until aborted. Trouble with the
 * queue after that is logged and tried again: what was read last stays in force meanwhile.
 */
export async function followTopic(options: FollowTopicOptions): Promise<void> {
  const { queue, topic, signal, log, onBatch } = options
  let next = await readTopic(queue, options)
  void followOn()

  async function followOn(): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const batch of queue.follow([{ topic, partition: 0, offset: next }], { signal })) {
          onBatch(batch)
          next = batch.nextOffset
        }
        // Ended quietly: aborted, or the queue has been closed.
        return
      } catch (error) {
        if (signal.aborted) return
        log.warn({ topic, err: error }, 'system topic cannot be followed, trying again')
        await wait(retryMs, undefined, { signal }).catch(() => undefined)
        if (error instanceof PositionLostError) next = error.earliest
      }
    }
  }
}
