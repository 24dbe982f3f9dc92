import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { type KafkaBroker, startOwnKafka } from '../../../../scripts/kafka/start-kafka.ts'
import { type ElectionScene, electionSteps, openScene } from './leader-elections/election-scene.ts'
import { type ExerciseCounts, exercise } from './leader-elections/exercise.ts'

const scale = inject('faultScale')
const counts = { once: 5, scaled: 40, full: 300 }
const sizes = {
  once: { starts: 2, positions: 20, perKind: 2 },
  scaled: { starts: 15, positions: 500, perKind: 4 },
  full: { starts: 200, positions: 20_000, perKind: 12 },
}
/** Smaller, since a throttled read takes up to seconds. */
const throttledCounts = { once: 5, scaled: 15, full: 300 }
const throttledSizes = {
  once: { starts: 2, positions: 10, perKind: 1 },
  scaled: { starts: 3, positions: 45, perKind: 2 },
  full: { starts: 50, positions: 2_000, perKind: 2 },
}
/** So few that about every third fetch is throttled. */
const bytesPerSecond = 40_000
/** Over how many seconds the nodes count bytes. Default 11: then less is throttled, and each time for longer. */
const quotaSeconds = 2

describe.skipIf(inject('kafka') === null)('while the leaders of three nodes move', () => {
  let cluster: KafkaBroker

  beforeAll(async () => {
    const started = await startOwnKafka({ nodes: 3, properties: { 'quota.window.num': `${quotaSeconds}` } })
    if ('unavailable' in started) throw new Error(started.unavailable)
    cluster = started
  })
  afterAll(() => cluster?.stop())

  test('every unit is published once, every reader sees it once, and every position is found', async () => {
    const plan = planFaults('elections of partition leaders', counts, electionSteps)
    await using scene = await openScene({ cluster, chain: 'moving', random: plan.random })
    const done = await exercise(scene, sizes[scale], plan)
    report(done, scene)
    plan.expectAllHit()
    expect(scene.findings.messages()).toEqual([])
  })

  test.skipIf(scale === 'once')('the same holds where a quota throttles the reads', async () => {
    const plan = planFaults('elections of partition leaders under a quota', throttledCounts, electionSteps)
    await using scene = await openScene({ cluster, chain: 'throttled', random: plan.random })
    const done = await exercise(scene, { ...throttledSizes[scale], bytesPerSecond }, plan)
    report(done, scene)
    plan.expectAllHit()
    expect(done.throttled, 'fetches that were throttled').toBeGreaterThan(0)
    expect(scene.findings.messages()).toEqual([])
  })
})

function report(done: ExerciseCounts, { findings }: ElectionScene): void {
  console.log(`${JSON.stringify(done)}, wrong: ${JSON.stringify(findings.counts())}`)
}
