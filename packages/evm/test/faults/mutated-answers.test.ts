import { expect, inject, test } from 'vitest'
import { compareMutatedAnswers } from '../transcoding/mutated-answers.ts'

const answers = { once: 10_000, scaled: 100_000, full: 1_000_000 }[inject('faultScale')]

test('mutated answers of nodes are encoded as by the oracle, or refused', async () => {
  const counts = await compareMutatedAnswers(answers, inject('faultSeed'))
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(answers / 100)
})
