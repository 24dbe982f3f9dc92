import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../kafka/start-kafka.ts'
import { compare } from '../differential/compare.ts'

const scripts = { once: 12, scaled: 150, full: 3000 }[inject('faultScale')]
/** Scripts that use up epochs, which takes a minute each. */
const usingUp = { once: 0, scaled: 1, full: 20 }[inject('faultScale')]
/** Concurrent scripts, which mostly wait for the broker. */
const lanes = 8

describe.skipIf(inject('kafka') === null).for([2, 0] as const)(
  'the simulated broker under transaction.version %i',
  (transactionVersion) => {
    let address: string
    let own: KafkaBroker | undefined

    beforeAll(async () => {
      if (transactionVersion === 2) {
        address = inject('kafka')!
        return
      }
      const started = await startOwnKafka({ transactionVersion })
      if ('unavailable' in started) throw new Error(started.unavailable)
      own = started
      address = started.bootstrap
    })
    afterAll(() => own?.stop())

    it(`answers ${scripts} random scripts as Kafka does`, async () => {
      const first = inject('faultSeed')
      const differences: string[] = []
      let next = 0
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (next < scripts && differences.length < 3) {
            const difference = await compare(address, {
              seed: first + next,
              transactionVersion,
              usedUp: next++ < usingUp,
            })
            if (difference !== undefined) differences.push(difference)
          }
        }),
      )
      expect(differences).toEqual([])
    })
  },
)
