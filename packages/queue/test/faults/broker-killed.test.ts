import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { type KafkaProxy, startProxy } from '../../../testbed/kafka/proxy.ts'
import { type KafkaBroker, startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import { createUnitTopics, dataTopics, largeUnit, readCheckpoint, readPartition, valuesUpTo } from '../units.ts'
import { publishUnits } from './unit-publisher.ts'

const allMoments = [
  { when: 'between Produce and EndTxn', step: 'sent', apiKey: 0, what: 'answer' },
  { when: 'during EndTxn', step: 'committing', apiKey: 26, what: 'request' },
] as const
const moments = inject('faultScale') === 'full' ? allMoments : allMoments.slice(1)

describe.skipIf(inject('kafka') === null)('a writer whose only broker is killed and restarted', () => {
  let proxy: KafkaProxy
  let broker: KafkaBroker
  let queue: Queue

  beforeAll(async () => {
    proxy = await startProxy()
    // The controller admits a restarted broker only after its old session has ended.
    const properties = { 'broker.session.timeout.ms': '1000', 'broker.heartbeat.interval.ms': '200' }
    const started = await startOwnKafka({ advertisedPort: proxy.port, properties })
    if ('unavailable' in started) throw new Error(started.unavailable)
    broker = started
    proxy.brokerPort = Number(broker.bootstrap.split(':')[1])
    queue = await openQueue(`kafka://127.0.0.1:${proxy.port}`)
  })
  afterAll(async () => {
    await queue?.close()
    await broker?.stop()
    await proxy?.close()
  })

  it.for(moments)(
    'loses and duplicates nothing if the broker is killed $when',
    async ({ when, step, apiKey, what }) => {
      const plan = planFaults(`kill -9 of the only broker ${when}`, { once: 1, scaled: 2, full: 50 }, [when])
      const series = `units-${randomUUID()}`
      await createUnitTopics(queue, series)
      const [node] = broker.nodes
      const remaining = new Set(Array.from({ length: plan.count }, (_, index) => largeUnit(index)))
      let moment: Promise<void>
      let serving = Promise.resolve()
      const repeats = await publishUnits({
        ...{ queue, series, upTo: largeUnit(plan.count) },
        async onStep(reached, unit) {
          if (!remaining.has(unit)) return
          if (reached === 'begun') moment = proxy.passed(apiKey, what)
          if (reached !== step) return
          remaining.delete(unit)
          await moment
          await delay(plan.random.integer(4))
          await serving
          await node!.kill()
          plan.hit(when)
          serving = node!.restart()
        },
      })
      await serving
      plan.expectAllHit()
      expect(repeats.unknown, 'commits with an unknown outcome').toBe(0)
      const last = await readCheckpoint(queue, series)
      expect(last).toBe(largeUnit(plan.count))
      for (const topic of dataTopics(series)) expect(await readPartition(queue, topic)).toEqual(valuesUpTo(last))
    },
  )
})
