import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { type KafkaBroker, startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import { type ElectionScene, electionSteps, openScene } from './leader-elections/election-scene.ts'
import { type ExerciseCounts, exercise } from './leader-elections/exercise.ts'

const scale = inject('faultScale')
const full = scale === 'full'
const counts = { once: 15, scaled: 15, full: 300 }
const size = full ? { starts: 200, positions: 20_000, perKind: 40 } : { starts: 4, positions: 150, perKind: 4 }
const throttledSize = { starts: 50, positions: 450, perKind: 2 }
/** In bytes per second. About every third fetch is throttled. */
const bytesPerSecond = 40_000
/**
 * Window in seconds in which the nodes count bytes. With the default of 11, fewer fetches are throttled, each for
 * longer.
 */
const quotaSeconds = 2

// Skipped by default, because few elections find nothing. `npm test` runs simulated elections.
describe.skipIf(inject('kafka') === null || scale === 'once')('while the leaders of three nodes move', () => {
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
    const done = await exercise(scene, size, plan)
    report(done, scene)
    expect(scene.findings.messages()).toEqual([])
    plan.expectAllHit()
  })

  // Throttled reads take minutes.
  if (!full) return

  test('every unit is published and seen once, and every position is found, under a quota that throttles reads', async () => {
    const plan = planFaults('elections of partition leaders under a quota', counts, electionSteps)
    await using scene = await openScene({ cluster, chain: 'throttled', random: plan.random })
    const done = await exercise(scene, { ...throttledSize, bytesPerSecond }, plan)
    report(done, scene)
    expect(scene.findings.messages()).toEqual([])
    plan.expectAllHit()
    expect(done.throttled, 'fetches that were throttled').toBeGreaterThan(0)
  })
})

function report(done: ExerciseCounts, { findings }: ElectionScene): void {
  console.log(`${JSON.stringify(done)}, wrong: ${JSON.stringify(findings.counts())}`)
}
