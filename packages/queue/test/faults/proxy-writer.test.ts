import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Injection } from '../../../testbed/kafka/proxy.ts'
import { CommitUnknownError, type Queue, TransactionAbortedError, type Writer } from '../../src/index.ts'
import { readValues, record, uniqueName } from '../kafka-fixture.ts'
import { apiKeys, useProxiedKafka } from './proxied-kafka.ts'

/** The requests of a writer that are disturbed. All others are disturbed only in the simulation. */
const requestsByStep = { produce: apiKeys.produce, commit: apiKeys.endTxn } as const
type Step = keyof typeof requestsByStep

/** The disturbance. The client waits for a `delayed` request; a `late` one arrives after the client has abandoned it. */
const disturbances = [
  { name: 'request cut', what: 'request', how: 'cut' },
  { name: 'answer cut', what: 'answer', how: 'cut' },
  { name: 'request half-closed', what: 'request', how: 'half-close' },
  { name: 'answer half-closed', what: 'answer', how: 'half-close' },
  { name: 'request delayed', what: 'request', how: 'hold', delayed: true },
  { name: 'answer delayed', what: 'answer', how: 'hold', delayed: true },
  { name: 'request late', what: 'request', how: 'hold' },
] as const
type Disturbance = (typeof disturbances)[number]

const protocols = [
  { protocol: 'TV2', transactionVersion: 2, steps: ['produce', 'commit'] },
  { protocol: 'TV1', transactionVersion: 0, steps: ['commit'] },
] as const

const requestTimeoutMs = 400
const delayMs = 50

describe.skipIf(inject('kafka') === null).for(protocols)(
  'a writer under $protocol whose connections are disturbed',
  ({ protocol, transactionVersion, steps }) => {
    const kafka = useProxiedKafka({ transactionVersion })
    let queue: Queue
    let topic: string
    let writer: Writer
    let written: string[]

    beforeAll(async () => {
      queue = await kafka.open({ requestTimeoutMs, compression: 'none' })
    })

    async function openWriter(): Promise<void> {
      await writer?.close()
      writer = await queue.openWriter({ id: topic, claim: 'run' })
    }

    /** Writes a value as the runtime does: again after a refusal, and after a check if the outcome is unknown. */
    async function publish(value: string, beforeCommit?: () => Promise<void>): Promise<void> {
      for (;;) {
        const transaction = writer.begin()
        transaction.send(record(topic, value))
        await beforeCommit?.()
        try {
          await transaction.commit()
          break
        } catch (error) {
          if (error instanceof TransactionAbortedError) {
            await transaction.abort()
          } else if (error instanceof CommitUnknownError) {
            await openWriter()
            if ((await readValues(queue, topic)).includes(value)) break
          } else {
            throw error
          }
        }
      }
      written.push(value)
    }

    /** Delivers a request late, after half of the next transaction was sent. */
    async function publishAround(injection: Injection, value: string): Promise<void> {
      const transaction = writer.begin()
      const sent = kafka.proxy.passed(apiKeys.produce, 'answer')
      for (const half of [`${value} first half`, large, large]) transaction.send(record(topic, half))
      await sent
      await injection.release()
      const visible = await readValues(queue, topic)
      transaction.send(record(topic, `${value} second half`))
      try {
        await transaction.commit()
        written.push(`${value} first half`, large, large, `${value} second half`)
      } catch (error) {
        if (!(error instanceof TransactionAbortedError)) throw error
        await transaction.abort()
      }
      expect(visible, 'what is visible of a transaction that is open').toEqual(written.slice(0, visible.length))
      expect(visible).not.toContain(`${value} first half`)
    }

    it.for(steps)('writes everything once and nothing of aborted transactions: at %s', async (step) => {
      const planned = disturbances.map(({ name }) => name)
      const each = { once: 1, scaled: 1, full: 25 }
      const counts = {
        once: disturbances.length,
        scaled: disturbances.length * each.scaled,
        full: disturbances.length * each.full,
      }
      const plan = planFaults(`harmed connections under ${protocol} at ${step}`, counts, planned)
      topic = uniqueName('proxy')
      written = []
      await queue.createTopics([{ name: topic }])
      await openWriter()
      for (let round = 0; round < plan.count; round++) {
        const disturbance = disturbances[round % disturbances.length]!
        await publish(`${round} before`)
        const injection = await disturbOnce(step, disturbance, `${round}`)
        await injection.happened
        plan.hit(disturbance.name)
        if (disturbance.name === 'request late') await publishAround(injection, `${round} around`)
        await publish(`${round} after`)
        expect(await readValues(queue, topic)).toEqual(written)
      }
      plan.expectAllHit()
    })

    async function disturbOnce(step: Step, disturbance: Disturbance, value: string): Promise<Injection> {
      let injection: Injection | undefined
      await publish(value, async () => {
        if (injection) return
        const { what, how } = disturbance
        injection = kafka.proxy.inject({ apiKey: requestsByStep[step], what, how })
        if ('delayed' in disturbance) injection.happened.then(() => delay(delayMs)).then(injection.release)
      })
      return injection!
    }
  },
)

/** Two of them exceed the size of a batch. */
const large = 'x'.repeat(200_000)
