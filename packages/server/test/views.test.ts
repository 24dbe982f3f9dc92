import { inject } from 'vitest'
import { testCanonicalHistory } from './canonical-history.ts'

const kafka = inject('kafka')
const seed = inject('faultSeed')

testCanonicalHistory({ engine: 'the embedded engine', runs: 16, seed })
if (kafka) testCanonicalHistory({ engine: 'Kafka', queueUrl: `kafka://${kafka}`, runs: 3, seed })
