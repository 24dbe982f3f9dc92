import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { Queue } from '../../src/index.ts'
import type { KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import { createKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { brokerAddresses } from '../kafka-fixture.ts'
import { type HeldRequest, heldRequests, holdEach } from './held-request.ts'
import { useProxiedKafka } from './proxied-kafka.ts'

const module = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
/** The broker talks to itself in plaintext, and clients have to authenticate. */
const properties = {
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,PLAINTEXT:SASL_PLAINTEXT',
  'sasl.enabled.mechanisms': 'PLAIN',
  'listener.name.plaintext.plain.sasl.jaas.config': `${module} user_alice="alice-secret";`,
}
const clientProperties = `security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=${module} username="alice" password="alice-secret";
`

describe.skipIf(inject('kafka') === null)('a commit whose new connection takes longer than its budget', () => {
  const kafka = useProxiedKafka({ transactionVersion: 2, properties })
  const queues: Queue[] = []
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-held-'))
    await writeFile(join(folder, 'client.properties'), clientProperties)
  })
  afterAll(async () => {
    for (const queue of queues) await queue.close()
    await rm(folder, { recursive: true })
  })

  async function open(settings: Partial<KafkaSettings> = {}): Promise<Queue> {
    const kafkaConfig = join(folder, 'client.properties')
    const queue = await createKafkaQueue({ bootstrap: brokerAddresses(kafka.bootstrap), kafkaConfig, settings })
    queues.push(queue)
    return queue
  }

  it('sends no EndTxn when it is authenticated at last', async () => {
    const [request, answer] = heldRequests(['connect again'], ['budget']) as [HeldRequest, HeldRequest]
    const requests = inject('faultScale') === 'once' ? [answer] : [request, answer]
    const kinds = requests.map(({ step, what }) => `${step} ${what}`)
    const plan = planFaults('authentication held at a commit', { once: 1, scaled: 10, full: 100 }, kinds)
    const reading = await open()
    // Any connection authenticates, so one is held at a time.
    for (const request of requests) {
      const wrong = await holdEach({ proxy: kafka.proxy, plan, open, reading }, [request], plan.count / requests.length)
      expect(wrong).toEqual([])
    }
    plan.expectAllHit()
  })
})
