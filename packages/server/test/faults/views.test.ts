import { inject } from 'vitest'
import { testCanonicalHistory } from '../canonical-history.ts'

const scale = inject('faultScale')
const kafka = inject('kafka')
const seed = inject('faultSeed')

testCanonicalHistory({ engine: 'the embedded engine', runs: { once: 16, scaled: 120, full: 600 }[scale], seed })
if (kafka) {
  const runs = { once: 3, scaled: 12, full: 60 }[scale]
  testCanonicalHistory({ engine: 'Kafka', queueUrl: `kafka://${kafka}`, runs, seed })
}
