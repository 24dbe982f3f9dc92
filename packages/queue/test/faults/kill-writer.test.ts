import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type FaultPlan, planFaults } from '../../../testbed/faults/fault-plan.ts'
import { consoleConsumer } from '../../../testbed/kafka/console-consumer.ts'
import { dataTopics, type PublishStep, readCheckpoint, readPartition, valuesUpTo } from '../units.ts'
import { mayFollow, type SeenStep, startPublishing } from './publishing-process.ts'

const counts = { once: 4, scaled: 6, full: 100 }
const steps: PublishStep[] = ['begun', 'sent', 'committing', 'committed']
const kafka = inject('kafka')

describe('a writer on the embedded queue that is killed', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-queue-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('publishes each unit completely and once, at any step', async () => {
    const plan = planFaults('kill -9 of a writer, embedded', counts, steps)
    const series = { url: `embedded:${folder}`, series: 'units' }
    await killOften(plan, series)
    await expectEachUnitOnce(series)
  })
})

describe.skipIf(kafka === null)('a writer on Kafka that is killed', () => {
  it('publishes each unit completely and once, at any step', async () => {
    const plan = planFaults('kill -9 of a writer, Kafka', counts, steps)
    const series = { url: `kafka://${kafka}`, series: `units-${randomUUID()}` }
    await killOften(plan, series)
    const last = await expectEachUnitOnce(series)
    const values = valuesUpTo(last)
    const reader = { javaCommand: inject('kafkaJavaCommand')!, bootstrap: kafka!, expected: values.length }
    const consumed = await Promise.all(dataTopics(series.series).map((topic) => consoleConsumer({ ...reader, topic })))
    for (const seen of consumed) expect(seen.map(({ value }) => value)).toEqual(values)
  })
})

interface Series {
  readonly url: string
  readonly series: string
}

/** Kills writers one after another, until the planned number is reached and each step was hit. */
async function killOften(plan: FaultPlan, series: Series): Promise<void> {
  const missed = new Set(steps)
  let last: SeenStep = { step: 'committed', unit: -1 }
  for (let kills = 0; kills < plan.count || (missed.size > 0 && kills < 3 * plan.count); kills++) {
    const aim = [...steps, undefined][kills % (steps.length + 1)]
    const after = plan.random.integer(6)
    // A writer that is paused at this step would not commit.
    const hold = aim && aim !== 'committing' ? { at: aim, after } : undefined
    const writer = startPublishing({ ...series, hold })
    const first = await writer.reached('ready')
    expect(first, `the first unit of the writer after one that was killed at ${last.step} ${last.unit}`).toSatisfy(
      (unit: number) => mayFollow(unit, last),
    )
    if (aim) await writer.reached(aim, first + after)
    await delay(plan.random.integer(aim ? 4 : 200))
    last = await writer.kill()
    plan.hit(last.step)
    missed.delete(last.step)
  }
  plan.expectAllHit()
}

/** Returns the number of the last unit. */
async function expectEachUnitOnce({ url, series }: Series): Promise<number> {
  const queue = await openQueue(url)
  // Ends the transaction of the last killed writer. Readers would stop at it.
  const writer = await queue.openWriter({ id: series, claim: 'reader' })
  const last = await readCheckpoint(queue, series)
  for (const topic of dataTopics(series)) expect(await readPartition(queue, topic)).toEqual(valuesUpTo(last))
  await writer.close()
  await queue.close()
  return last
}
