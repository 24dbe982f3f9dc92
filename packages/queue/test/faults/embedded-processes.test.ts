import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue, type Queue } from '@headrace/queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FaultPlan, planFaults } from '../../../testbed/faults/fault-plan.ts'
import { createRandom } from '../../../testbed/random.ts'
import { type PublishStep, readPartition, valuesUpTo } from '../units.ts'
import { readShared, type Seen, type SeenRecord } from './embedded-shared-reader.ts'
import { createSharedTopics, lastUnit, ringKey, ringSize, sharedCheckpoints, unitAt } from './embedded-shared-units.ts'
import { compact } from './known-queue.ts'
import { mayFollow, type SeenStep, startPublishing } from './publishing-process.ts'

const steps: PublishStep[] = ['begun', 'sent', 'committing', 'committed', 'compacting']
const writers = ['one', 'other']

let directory: string
let queue: Queue

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headrace-queue-'))
  queue = await openQueue(`embedded:${directory}`)
  await createSharedTopics(queue)
})
afterEach(async () => {
  await queue.close()
  await rm(directory, { recursive: true })
})

describe('two writers on one embedded queue that are killed repeatedly', () => {
  it('publish each unit completely, once and in order, while both write and compact and another process reads', async () => {
    const plan = planFaults('kill -9 of two writers, embedded', { once: 4, scaled: 20, full: 100 }, steps)
    const missed = new Set(steps)
    const reader = readShared(queue, writers)
    const killings = writers.map((writer, index) => killOften({ plan, missed, writer, index }))
    // Both must have ended before the folder is removed.
    await Promise.allSettled(killings)
    await Promise.all(killings)
    plan.expectAllHit()
    const seen = await reader.finish()
    const last = await Promise.all(writers.map((writer) => lastUnit(queue, writer)))
    console.log(`units: ${last.map((unit) => unit + 1).join(' and ')}, moments looked at: ${seen.moments.length}`)
    for (const records of seen.records.values()) expectWholeTransactions(records)
    for (const [place, records] of seen.records) expectEachUnitOnce(place, records, last)
    expectWholeMoments(seen)
    expectInOrder(seen, last)
    await expectNewest(last)
    // An uninterrupted compaction leaves one record of each key.
    await compact(directory, sharedCheckpoints)
    await expectNewest(last)
    const keys = last.reduce((sum, unit) => sum + 1 + Math.min(unit + 1, ringSize), 0)
    expect(await readPartition(queue, sharedCheckpoints)).toHaveLength(keys)
    expectSoundFile()
  })
})

interface Killing {
  readonly plan: FaultPlan
  /** Steps at which no writer has been killed yet. Shared by both writers. */
  readonly missed: Set<PublishStep>
  readonly writer: string
  readonly index: number
}

/** Kills and restarts a writer until its number of kills is reached and each step was hit. */
async function killOften({ plan, missed, writer, index }: Killing): Promise<void> {
  const url = `embedded:${directory}`
  const random = createRandom(plan.random.integer(2 ** 31))
  const aims = [...steps, undefined]
  const share = plan.count / writers.length
  let last: SeenStep = { step: 'committed', unit: -1 }
  for (let kills = 0; kills < share || (missed.size > 0 && kills < 10 * plan.count); kills++) {
    const aim = aims[(kills + index * 3) % aims.length]
    const after = random.integer(20)
    // A commit or a compaction cannot be paused.
    const hold = aim && aim !== 'committing' && aim !== 'compacting' ? { at: aim, after } : undefined
    const publishing = startPublishing({ url, series: writer, hold, program: 'embedded-publish-shared.ts' })
    const first = await publishing.reached('ready')
    expect(first, `the first unit of "${writer}" after it was killed at ${last.step} ${last.unit}`).toSatisfy(
      (unit: number) => mayFollow(unit, last),
    )
    if (aim) await publishing.reached(aim, aim === 'compacting' ? undefined : first + after)
    await delay(random.integer(aim === undefined ? 200 : aim === 'compacting' ? 15 : 4))
    last = await publishing.kill()
    const step = aim === 'compacting' ? aim : last.step
    plan.hit(step)
    missed.delete(step)
  }
}

/** Expects that the records of each transaction are adjacent. */
function expectWholeTransactions(records: readonly SeenRecord[]): void {
  const units = records.map(unitOf)
  const runs = units.filter((unit, index) => unit !== units[index - 1])
  expect(runs.length, 'transactions with adjacent records').toBe(new Set(units).size)
}

function expectEachUnitOnce(place: string, records: readonly SeenRecord[], last: readonly number[]): void {
  const partition = Number(place.split('/')[1])
  for (const [index, writer] of writers.entries()) {
    const values = records.filter((record) => record.writer === writer).map(({ value }) => value)
    expect(values, `the values of "${writer}" in ${place}`).toEqual(valuesUpTo(last[index]!, partition))
  }
}

/** Expects that all partitions end with the same complete unit in every snapshot. */
function expectWholeMoments({ records, moments }: Seen): void {
  const unitsIn = new Map([...records].map(([place, records]) => [place, unitsByEnd(records)]))
  for (const { ends, before, after } of moments) {
    const [units, ...others] = [...ends].map(([place, end]) => unitsIn.get(place)![end])
    expect(units, 'the units in a snapshot').not.toBe('half')
    for (const other of others) expect(other, 'the units in another partition').toEqual(units)
    for (const [index, unit] of (units as readonly number[]).entries()) {
      expect(unit, 'the unit to which the data reached').toBeGreaterThanOrEqual(before[index]!)
      expect(unit, 'the unit to which the data reached').toBeLessThanOrEqual(after[index]!)
    }
  }
}

/** For each end of a partition: the last unit of each writer before it, or `half` if it divides a unit. */
function unitsByEnd(records: readonly SeenRecord[]): ('half' | readonly number[])[] {
  const units = writers.map(() => -1)
  return Array.from({ length: records.length + 1 }, (_, end) => {
    const before = records[end - 1]
    const next = records[end]
    if (before) units[writers.indexOf(before.writer)] = Number(before.value.split('/')[0])
    return before && next && unitOf(before) === unitOf(next) ? 'half' : [...units]
  })
}

/** Compaction may have removed some checkpoints of a writer, but never the last one. */
function expectInOrder({ checkpoints }: Seen, last: readonly number[]): void {
  for (const [index, writer] of writers.entries()) {
    const units = checkpoints.filter(({ key }) => key === writer).map(({ unit }) => unit)
    expect(units, `the checkpoints of "${writer}"`).toEqual([...new Set(units)].toSorted((a, b) => a - b))
    expect(units.at(-1), `the last checkpoint of "${writer}"`).toBe(last[index])
  }
}

async function expectNewest(last: readonly number[]): Promise<void> {
  for (const [index, writer] of writers.entries()) {
    expect(await lastUnit(queue, writer), `the newest of "${writer}"`).toBe(last[index])
    for (let unit = Math.max(0, last[index]! - ringSize + 1); unit <= last[index]!; unit++) {
      expect(await unitAt(queue, ringKey(writer, unit)), `the newest of "${ringKey(writer, unit)}"`).toBe(unit)
    }
  }
}

function expectSoundFile(): void {
  const database = new DatabaseSync(join(directory, 'queue.db'), { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
}

function unitOf({ writer, value }: SeenRecord): string {
  return `${writer} ${value.split('/')[0]}`
}
