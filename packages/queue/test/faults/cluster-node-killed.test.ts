import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { type ClusterRoles, openClusterRoles } from '../../../testbed/kafka/cluster-roles.ts'
import type { KafkaNode } from '../../../testbed/kafka/kafka-node.ts'
import { type KafkaProxy, startProxy } from '../../../testbed/kafka/proxy.ts'
import { type KafkaBroker, startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import type { Random } from '../../../testbed/random.ts'
import { createUnitTopics, dataTopics, largeUnit, readCheckpoint } from '../units.ts'
import { apiKeys } from './proxied-kafka.ts'
import { publishUnits } from './unit-publisher.ts'
import { followUnits, readUnits, valuesOfAll } from './unit-readers.ts'

const partitions = 3
/** The unit in which a node is killed, and the last one, which is published while the node is down. */
const [killUnit, upTo] = [largeUnit(0), largeUnit(2)]

const produced = { when: 'before EndTxn', step: 'sent', request: apiKeys.produce, passed: 'answer' } as const
const ending = { when: 'after EndTxn', step: 'committing', request: apiKeys.endTxn, passed: 'request' } as const
const allMoments = [
  { role: 'leader', ...produced },
  { role: 'coordinator', ...ending },
] as const
type Moment = (typeof allMoments)[number]
const moments = inject('faultScale') === 'full' ? allMoments : allMoments.slice(1)

describe.skipIf(inject('kafka') === null)('a writer and readers of a cluster with one killed node of three', () => {
  let proxies: KafkaProxy[]
  let cluster: KafkaBroker
  let roles: ClusterRoles
  let writing: Queue
  let reading: Queue

  beforeAll(async () => {
    proxies = await Promise.all([startProxy(), startProxy(), startProxy()])
    const started = await startOwnKafka({ nodes: 3, advertisedPort: proxies.map(({ port }) => port) })
    if ('unavailable' in started) throw new Error(started.unavailable)
    cluster = started
    for (const { id, address } of cluster.nodes) proxies[id - 1]!.brokerPort = Number(address.split(':')[1])
    roles = await openClusterRoles(cluster.bootstrap)
    writing = await openQueue(`kafka://${cluster.bootstrap}`)
    reading = await openQueue(`kafka://${cluster.bootstrap}`)
  })
  afterAll(async () => {
    await writing?.close()
    await reading?.close()
    await roles?.close()
    await cluster?.stop()
    for (const proxy of proxies) await proxy.close()
  })

  /** Returns the node to kill, and a promise that resolves when it must be killed. */
  async function aim({ role, request, passed }: Moment, series: string): Promise<Aim> {
    const coordinator = await roles.coordinator(series)
    const leaders = await Promise.all([0, 1, 2].map((partition) => roles.leader(dataTopics(series)[0], partition)))
    const leader = leaders.find((node) => node !== coordinator)!
    const asked = request === apiKeys.endTxn ? coordinator : leader
    const moment = proxies[asked - 1]!.passed(request, passed)
    return { node: cluster.nodes[(role === 'leader' ? leader : coordinator) - 1]!, moment }
  }

  async function restart(node: KafkaNode, topics: readonly string[]): Promise<void> {
    await node.restart()
    while (!(await roles.inSync(topics))) await delay(100)
  }

  /** Publishes a series and kills a node during it. Returns the node. */
  async function publishWithKill(series: string, moment: Moment, random: Random): Promise<KafkaNode> {
    let target: Aim | undefined
    let killed: KafkaNode | undefined
    const repeats = await publishUnits({
      ...{ queue: writing, series, partitions, upTo },
      async onStep(reached, unit) {
        if (unit !== killUnit || killed) return
        if (reached === 'begun') target = await aim(moment, series)
        if (reached !== moment.step) return
        await target!.moment
        await delay(random.integer(4))
        killed = target!.node
        await killed.kill()
      },
    })
    expect(repeats.unknown, 'commits with an unknown outcome').toBe(0)
    return killed!
  }

  const timeout = 10 * 60_000
  it.for(moments)(
    'publish and read each unit once if the killed node is the $role, $when',
    { timeout },
    async (moment) => {
      const name = `${moment.role} ${moment.when}`
      const plan = planFaults(`kill -9 of one of three nodes, the ${name}`, { once: 1, scaled: 1, full: 5 }, [name])
      for (let kills = 0; kills < plan.count; kills++) {
        const series = `units-${randomUUID()}`
        await createUnitTopics(writing, series, partitions)
        const seeing = { queue: reading, series, partitions, upTo, signal: AbortSignal.timeout(timeout / 2) }
        const following = followUnits(seeing)
        const polling = readUnits(seeing)
        const killed = await publishWithKill(series, moment, plan.random)
        plan.hit(name)
        expect(await readCheckpoint(writing, series)).toBe(upTo)
        expect(await following).toEqual(valuesOfAll(seeing))
        expect(await polling).toEqual(valuesOfAll(seeing))
        await restart(killed, dataTopics(series))
        expect(await readUnits(seeing)).toEqual(valuesOfAll(seeing))
      }
      plan.expectAllHit()
    },
  )
})

interface Aim {
  readonly node: KafkaNode
  readonly moment: Promise<void>
}
