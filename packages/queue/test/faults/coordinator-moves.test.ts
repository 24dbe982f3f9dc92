import { setTimeout as delay } from 'node:timers/promises'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { type ClusterRoles, openClusterRoles } from '../../../../scripts/kafka/cluster-roles.ts'
import { openLeaderMoves } from '../../../../scripts/kafka/leader-moves.ts'
import { type KafkaBroker, startOwnKafka } from '../../../../scripts/kafka/start-kafka.ts'
import { uniqueName } from '../kafka-fixture.ts'
import { createUnitTopics } from '../units.ts'
import { createRecordedPublisher, type PublishSteps, type RecordedPublisher } from './recorded-publisher.ts'

const allProtocols = [
  { protocol: 'TV2', transactionVersion: 2 },
  { protocol: 'TV1', transactionVersion: 0 },
] as const
// A cluster takes its time to start.
const protocols = inject('faultScale') === 'once' ? allProtocols.slice(0, 1) : allProtocols

/** When a move begins. The first two are over before the transaction continues. */
const moments = ['half sent', 'before the commit', 'while it commits', 'between units'] as const

describe.skipIf(inject('kafka') === null).for(protocols)(
  'a writer under $protocol on three nodes',
  ({ protocol, transactionVersion }) => {
    let cluster: KafkaBroker
    let roles: ClusterRoles
    let queue: Queue

    beforeAll(async () => {
      const started = await startOwnKafka({ nodes: 3, transactionVersion })
      if ('unavailable' in started) throw new Error(started.unavailable)
      cluster = started
      roles = await openClusterRoles(cluster.bootstrap)
      queue = await openQueue(`kafka://${cluster.bootstrap}`)
    })
    afterAll(async () => {
      await queue?.close()
      await roles?.close()
      await cluster?.stop()
    })

    it('publishes each unit once while its coordinator moves, and reports no commit as refused that took place', async () => {
      const hit = inject('faultScale') === 'once' ? [] : moments
      const plan = planFaults(`moved coordinators under ${protocol}`, { once: 2, scaled: 8, full: 50 }, hit)
      const series = uniqueName('moves')
      await createUnitTopics(queue, series)
      const publisher = createRecordedPublisher({ series, newClaims: false })
      publisher.use(queue)
      const moves = await openLeaderMoves(cluster.nodes[0]!.address, plan.random)
      await publisher.open()
      for (let moved = 0; moved < plan.count; moved++) {
        // `once` has the two in which a commit is under way.
        const moment = moments[(moved + 2) % moments.length]!
        await publishAround(publisher, moment, async () => {
          await delay(plan.random.integer(5))
          const { topic, partition } = await roles.coordinatorPartition(series)
          const before = await roles.coordinator(series)
          expect(await moves.move(topic, partition), 'the coordinator').not.toBe(before)
        })
        plan.hit(moment)
      }
      await moves.close()
      await publisher.expectEachUnitOnce(queue)
      console.log(`${protocol}: ${publisher.units} units, errors ${JSON.stringify([...publisher.errors])}`)
      plan.expectAllHit()
    })
  },
)

/** Publishes units while the coordinator moves and some after it. */
async function publishAround(
  publisher: RecordedPublisher,
  moment: (typeof moments)[number],
  move: () => Promise<void>,
): Promise<void> {
  let moving: Promise<void> | undefined
  let over = false
  const begin = async (): Promise<void> => {
    moving = move().finally(() => {
      over = true
    })
  }
  const beginAndWait = () => begin().then(() => moving)
  const steps: Record<typeof moment, PublishSteps> = {
    'half sent': { halfSent: beginAndWait },
    'before the commit': { sent: beginAndWait },
    'while it commits': { sent: begin },
    'between units': {},
  }
  if (moment === 'between units') await begin()
  await publisher.publish(steps[moment])
  while (!over) await publisher.publish()
  for (let after = 0; after < unitsAfter; after++) await publisher.publish()
  await moving
}

const unitsAfter = 5
