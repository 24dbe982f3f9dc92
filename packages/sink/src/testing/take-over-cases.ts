import assert from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { HeadraceError } from '@headrace/queue'
import { applyDurably } from '../destination/apply-durably.ts'
import type { Destination } from '../destination/destination.ts'
import type { DestinationCase } from './case.ts'
import { orders } from './continuation-cases.ts'
import { testTopic } from './test-topics.ts'
import { createTopicLog } from './topic-log.ts'

/** Ms after which a second run is regarded as waiting for the first. */
const waitsMs = 1000

export const takeOverCases: readonly DestinationCase[] = [
  {
    name: 'of two runs of a sink, only one writes',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const topics = [log.topic]
      const first = await bench.start(topics)
      await bench.apply(first, orders(log, 2))
      const next = orders(log, 2)
      const opening = bench.start(topics)
      const outcome = await Promise.race([settled(opening), delay(waitsMs, 'waits' as const)])
      if (outcome === 'opened') {
        // It has taken over.
        const second = await opening
        await bench.apply(second, next)
        await expectError(applyDurably(first, next), 'The older run has applied a batch after the newer one had.')
        await expectError(applyDurably(first, orders(log, 1)), 'The older run has applied a batch.')
        await bench.end(first)
        await bench.end(second)
      } else {
        // It waits, or has failed: the first one is not disturbed.
        await bench.apply(first, next)
        await bench.end(first)
        // It has begun before the last batch was applied, and must read the cursor after that.
        if (outcome === 'waits') await bench.end(await opening)
      }
      await bench.check(topics)
      await bench.store(topics, orders(log, 2))
    },
  },
  {
    name: 'a run that waits for another one ends when it is aborted',
    async run(bench) {
      const log = createTopicLog(testTopic('shop_Order'))
      const topics = [log.topic]
      const first = await bench.start(topics)
      const stop = new AbortController()
      const opening = bench.start(topics, { signal: stop.signal })
      const outcome = await Promise.race([settled(opening), delay(waitsMs / 2, 'waits' as const)])
      stop.abort()
      if (outcome === 'waits') await expectError(opening, 'The waiting run has opened.')
      // It has taken over.
      if (outcome === 'opened') await bench.end(await opening)
      else await bench.apply(first, orders(log, 1))
      await bench.end(first)
      await bench.store(topics, orders(log, 1))
    },
  },
]

async function settled(opening: Promise<Destination>): Promise<'opened' | 'failed'> {
  return opening.then(
    () => 'opened' as const,
    (error) => {
      if (error instanceof HeadraceError || error instanceof assert.AssertionError) return 'failed' as const
      throw error
    },
  )
}

async function expectError(work: Promise<unknown>, message: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (error) => error,
  )
  assert(error !== undefined, message)
}
