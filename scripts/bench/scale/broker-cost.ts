import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '@headrace/queue'
import type { Bench } from '../bench.ts'
import { childrenOf, cpuOf } from '../linux-process.ts'
import { openOrders } from '../reading/orders.ts'

/** As many as the gateways that read a topic. */
const followers = 20
const perSecond = 40

/** What a broker that this process has started spends on each gateway that follows a topic of one partition. */
export async function brokerBenches(queueUrl: string, quick: boolean): Promise<Bench[]> {
  const broker = await findBroker()
  if (broker === undefined) return []
  const units = quick ? 5 : 100
  return [
    {
      name: `Kafka broker, ${perSecond} units/s of 1, each unit and follower`,
      unit: 'µs of CPU',
      better: 'lower',
      rounds: quick ? 1 : 3,
      contestants: {
        async ours() {
          const alone = await costOfUnits(0)
          return ((await costOfUnits(followers)) - alone) / followers
        },
      },
      targets: {},
    },
  ]

  /** CPU time of the broker for each unit, in µs. */
  async function costOfUnits(count: number): Promise<number> {
    await using opened = new AsyncDisposableStack()
    const open = async () => opened.adopt(await openQueue(queueUrl), (queue) => queue.close())
    const orders = await openOrders(await open())
    await orders.publish(1)
    const stop = new AbortController()
    opened.defer(() => stop.abort())
    let received = 0
    for (let n = 0; n < count; n++) {
      const queue = await open()
      const [described] = await queue.describe([orders.topic])
      const at = { topic: orders.topic, partition: 0, offset: described!.partitions[0]!.end }
      const follow = async () => {
        for await (const _ of queue.follow([at], { signal: stop.signal })) received++
      }
      follow().catch(() => {})
    }
    await delay(1000)
    const before = await cpuOf(broker!)
    for (let sent = 1; sent <= units; sent++) {
      const due = delay(1000 / perSecond)
      await orders.publish(1)
      while (received < sent * count) await delay(1)
      await due
    }
    return (((await cpuOf(broker!)) - before) * 1000) / units
  }
}

/** Process id of the broker, if it is a child of this process. */
async function findBroker(): Promise<number | undefined> {
  for (const child of await childrenOf(process.pid))
    if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('kafka.Kafka')) return child
  return undefined
}
