import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { applied, canonicalNames, openChain } from '../../../server/test/shop/chain.ts'
import { serveShop } from '../../../server/test/shop/served-shop.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { freePorts } from '../../../testbed/kafka/free-ports.ts'
import { type Reaction, type ReceiverOptions, startReceiver } from '../webhook/receiver.ts'
import type { SinkProcessOptions } from '../webhook/sink-process.ts'

const topic = 'acme.shop.1_0_0.killed_Order'
const partitions = 3
const program = join(import.meta.dirname, '../webhook/sink-process.ts')
const failures: readonly Reaction[] = [500, 404, 'late', 'refused', 'cut', 'no answer', 429]

test('each record arrives at least once and in order, whatever is killed and however the receiver fails', async () => {
  const plan = planFaults('webhook', { once: 4, scaled: 10, full: 200 }, ['sink', 'receiver', 'answer'])
  const { random } = plan
  await using resources = new AsyncDisposableStack()
  const shop = resources.use(await serveShop())
  const chain = await openChain(shop.queue, { topic, partitions })
  await shop.waitForTopic(topic)
  const state = await mkdtemp(join(tmpdir(), 'headrace-webhook-'))
  resources.defer(() => rm(state, { recursive: true }))

  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const [port] = await freePorts(1)
  let isFailing = true
  const options: ReceiverOptions = {
    ...{ secret, port: port!, headers: { 'retry-after': '0' }, arrivals: [] },
    react() {
      if (!isFailing || random.integer(6) > 0) return 200
      plan.hit('answer')
      return failures[random.integer(failures.length)]!
    },
  }
  let receiver = await startReceiver(options)
  resources.defer(() => receiver[Symbol.asyncDispose]())
  const sinkOptions: SinkProcessOptions = {
    ...{ gateway: shop.url, apiKey: shop.key, url: receiver.url, secret, state, topic },
  }
  let sink = startSink(sinkOptions)
  resources.defer(() => sink.kill())

  let interruptions = 0
  for (let fault = 0; fault < plan.count; fault++) {
    for (let n = 0; n < 5; n++)
      await chain.publish({
        partitions: Array.from({ length: 1 + random.integer(8) }, () => random.integer(partitions)),
        revertUnits: random.integer(4) === 0 ? 1 + random.integer(3) : 0,
      })
    const before = receiver.arrivals.length
    while (receiver.arrivals.length === before) await delay(5)
    await delay(random.integer(100))
    interruptions++
    if (fault % 3 === 2) {
      await receiver[Symbol.asyncDispose]()
      receiver = await startReceiver(options)
      plan.hit('receiver')
    } else {
      await sink.kill()
      sink = startSink(sinkOptions)
      plan.hit('sink')
    }
  }
  isFailing = false
  const canonical = new Set(canonicalNames(chain, chain.head()))
  await expect.poll(() => isWhole(receiver.firstArrivals(), chain.head())).toBe(true)

  expect(receiver.mistakes).toEqual([])
  const first = receiver.firstArrivals()
  for (const records of Map.groupBy(first, ({ partition }) => partition).values())
    expect(records.map(({ seq }) => Number(seq))).toEqual(
      records.map(({ seq }) => Number(seq)).toSorted((a, b) => a - b),
    )
  expect(applied(first as never)).toEqual(canonical)
  // A killed sink has at most one request without an answer in each partition, and so has a receiver that was closed.
  const accepted = receiver.arrivals.filter(({ reaction }) => reaction === 200)
  const repeats = accepted.length - new Set(accepted.map(({ id }) => id)).size
  console.log(`${accepted.length} accepted, ${repeats} of them repeated after ${interruptions} interruptions`)
  expect(repeats).toBeLessThanOrEqual(interruptions * partitions)
  plan.expectAllHit()
})

/** Whether the last record of each partition has arrived. */
function isWhole(records: readonly { partition: number; seq: string | null }[], head: readonly number[]): boolean {
  return head.every((length, partition) =>
    records.some((record) => record.partition === partition && record.seq === `${length - 1}`),
  )
}

interface SinkProcess {
  kill(): Promise<void>
}

function startSink(options: SinkProcessOptions): SinkProcess {
  const args = ['--conditions=@headrace/source', program, JSON.stringify(options)]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  child.stderr!.resume()
  return {
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
