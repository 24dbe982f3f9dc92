import { beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { Queue } from '../../src/index.ts'
import type { KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import { heldRequests, holdEach } from './held-request.ts'
import { useProxiedKafka } from './proxied-kafka.ts'

const opening = ['claim', 'find', 'open'] as const
const ending = ['produce', 'commit', 'confirm', 'find again', 'abort'] as const
const limits = inject('faultScale') === 'once' ? (['budget'] as const) : (['budget', 'request timeout'] as const)
const protocols = [
  { protocol: 'TV2', transactionVersion: 2, steps: [...opening, ...ending] },
  { protocol: 'TV1', transactionVersion: 0, steps: [...opening, 'join', ...ending] },
] as const

describe.skipIf(inject('kafka') === null).for(protocols)(
  'a writer under $protocol whose requests and answers are held for longer than it waits',
  ({ protocol, transactionVersion, steps }) => {
    const kafka = useProxiedKafka({ transactionVersion })
    let reading: Queue

    beforeAll(async () => {
      reading = await kafka.open()
    })

    it('publishes each unit once, reports no commit as refused that took place, and sends nothing late', async () => {
      const requests = heldRequests(steps, limits)
      const kinds = new Set(requests.map(({ step, what }) => `${step} ${what}`))
      const counts = { once: requests.length, scaled: requests.length * 3, full: requests.length * 50 }
      const plan = planFaults(`requests and answers held under ${protocol}`, counts, [...kinds])
      const open = (settings: Partial<KafkaSettings>) => kafka.open(settings)
      const rounds = plan.count / requests.length
      const wrong = await holdEach({ proxy: kafka.proxy, plan, open, reading }, requests, rounds)
      expect(wrong).toEqual([])
      plan.expectAllHit()
    })
  },
)
