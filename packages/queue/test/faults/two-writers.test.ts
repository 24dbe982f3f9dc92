import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { type KafkaBroker, startOwnKafka } from '../../../../scripts/kafka/start-kafka.ts'
import { decodeClaim } from '../../src/claim.ts'
import { FencedError, ownersTopic, type Queue, TransactionAbortedError, type Writer } from '../../src/index.ts'
import { openKafkaAt, readValues, record, uniqueName } from '../kafka-fixture.ts'

const protocols = [
  { protocol: 'TV2', transactionVersion: 2 },
  { protocol: 'TV1', transactionVersion: 0 },
] as const

describe.skipIf(inject('kafka') === null).for(protocols)(
  'two writers of one id under $protocol',
  ({ protocol, transactionVersion }) => {
    let broker: KafkaBroker
    let queues: [Queue, Queue]

    beforeAll(async () => {
      const started = await startOwnKafka({ transactionVersion })
      if ('unavailable' in started) throw new Error(started.unavailable)
      broker = started
      queues = [await openKafkaAt(broker.bootstrap), await openKafkaAt(broker.bootstrap)]
    })
    afterAll(async () => {
      for (const queue of queues ?? []) await queue.close()
      await broker?.stop()
    })

    it('are one soon: the one that claimed last goes on, the other is fenced, and nothing is doubled', async () => {
      const orders = ['at once', 'while the first writes']
      const plan = planFaults(`two writers under ${protocol}`, { once: 2, scaled: 15, full: 50 }, orders)
      for (let round = 0; round < plan.count; round++) {
        const order = orders[round % orders.length]!
        const topic = uniqueName('two-writers')
        await queues[0].createTopics([{ name: topic }])
        const first = run(queues[0], { topic, name: 'first', enough: 1_000 })
        if (order === 'while the first writes') await first.reached(1 + plan.random.integer(5))
        const second = run(queues[1], { topic, name: 'second', enough: 1_000 })

        const fenced = await Promise.race([first.ended, second.ended])
        expect(fenced.error).toBeInstanceOf(FencedError)
        const survivor = fenced.name === 'first' ? second : first
        const atFencing = survivor.committed.length
        await survivor.reached(atFencing + 5)
        survivor.stop()
        expect((await survivor.ended).error, 'what ended the one that claimed last').toBeUndefined()
        const claim = await queues[0].latest(ownersTopic, 0, Buffer.from(topic))
        expect(survivor.name, 'the one that goes on').toBe(decodeClaim(Buffer.from(claim!.value!).toString()).claim)

        const values = await readValues(queues[0], topic)
        for (const { name, committed } of [first, second]) {
          const own = values.filter((value) => value.startsWith(name))
          expect(own, 'what became visible of one of them').toEqual(committed)
        }
        const firstOfSurvivor = values.findIndex((value) => value.startsWith(survivor.name))
        const after = values.slice(firstOfSurvivor).filter((value) => !value.startsWith(survivor.name))
        expect(after, 'what the fenced one wrote after the other had begun').toEqual([])
        plan.hit(order)
      }
      plan.expectAllHit()
    })
  },
)

interface Run {
  readonly name: string
  readonly committed: readonly string[]
  readonly ended: Promise<{ name: string; error: unknown }>
  /** Resolves when so many values are committed. */
  reached(count: number): Promise<void>
  stop(): void
}

/** Writes values as a runtime does, until it is stopped or fenced. Its claim is its name. */
function run(queue: Queue, { topic, name, enough }: { topic: string; name: string; enough: number }): Run {
  const committed: string[] = []
  let stopped = false
  let progress = Promise.withResolvers<void>()

  async function publish(writer: Writer, value: string): Promise<void> {
    for (;;) {
      const transaction = writer.begin()
      transaction.send(record(topic, value))
      try {
        await transaction.commit()
        return
      } catch (error) {
        if (!(error instanceof TransactionAbortedError)) throw error
        await transaction.abort()
      }
    }
  }

  async function write(): Promise<{ name: string; error: unknown }> {
    try {
      const writer = await queue.openWriter({ id: topic, claim: name })
      while (!stopped && committed.length < enough) {
        const value = `${name} ${committed.length}`
        await publish(writer, value)
        committed.push(value)
        progress.resolve()
        progress = Promise.withResolvers()
      }
      await writer.close()
      return { name, error: undefined }
    } catch (error) {
      return { name, error }
    }
  }

  const ended = write()
  return {
    name,
    committed,
    ended,
    async reached(count) {
      while (committed.length < count) {
        const over = await Promise.race([progress.promise, ended])
        if (over) throw new Error(`The ${name} ended at ${committed.length} of ${count}.`, { cause: over.error })
      }
    },
    stop() {
      stopped = true
    },
  }
}
