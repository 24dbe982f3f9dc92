import { CommitUnknownError, TransactionAbortedError } from '@headrace/queue'
import type { RunSummary } from '@headrace/sdk'
import { createFaultyQueue, type FaultStep, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { newChain, openChain } from './chain/open.ts'
import { expectReplayed } from './reverts/replay.ts'
import { differingScripts, parseScript, type ScriptedUnit, scriptConnector, scripts } from './reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

const folder = new URL('chain/', import.meta.url)

let project: TestProject
/** The broker is shared, so each test has its own topics. */
async function open(queue: string | undefined): Promise<void> {
  project = await openChain({ settings: { chain: newChain() }, ...(queue && { queue }) })
}

/** Runs a script with one unit in each transaction, except replacements of reverted units. */
const runOneByOne = (units: readonly ScriptedUnit[]): Promise<RunSummary> =>
  project.run(scriptConnector(units), { oneByOne: true })

describe.each(engines)('on %s, a source reverts', (_, address) => {
  beforeEach(() => open(address))
  afterEach(() => project.close())

  test.each(address === undefined ? scripts : differingScripts)('%s', async (_, script) => {
    const units = parseScript(script)
    expect(await runOneByOne(units)).toMatchObject({ units: units.length, reason: 'ended' })
    await expectReplayed(project, units)
  })

  test('more units than one read window holds', async () => {
    const names = Array.from({ length: 700 }, (_, number) => `a${number}`)
    const units = parseScript([...names, 'a10<b11', 'b12', 'b13'].join(' '))
    await project.run(scriptConnector(units))
    await expectReplayed(project, units)
  })

  // The following do not depend on the engine, or the simulation has them on Kafka.
  if (address !== undefined) return

  test('with grouping off, and replacements are published unit by unit', async () => {
    const units = parseScript('a0 a1 a2 a3 a1<b2 b3 b4 a0<c1 c2')
    const committed: number[] = []
    const observer = { onCommit: ({ unit }: { readonly unit: number }) => committed.push(unit) }
    await project.run(scriptConnector(units), { group: 'off', observer })
    expect(committed).toEqual(units.map((_, index) => index + 1))
    await expectReplayed(project, units)
  })

  test('records without a value, with their reason', async () => {
    const units = parseScript('a0 a1 a0<b1')
    units[1]!.messages!.Block![0]!.Number = -1n
    await project.run(scriptConnector(units))
    const blocks = await project.records('Block')
    expect(blocks.map(({ op, reverts, error }) => [op, reverts, error?.split(':')[0]])).toEqual([
      ['append', undefined, undefined],
      ['append', undefined, 'encode_failed'],
      ['revert', 1, 'encode_failed'],
      ['append', undefined, undefined],
    ])
  })

  test.each([
    ['a final unit', 'a0 a1 a2! a3', 'a1<b2'],
    ['all units although one is final', 'a0 a1! a2', '<b0'],
    ['to a unit that it has reverted itself', 'a0 a1 a2 a0<b1', 'a2<c3'],
  ])('%s: the run ends and nothing is overwritten', async (_, before, revert) => {
    const units = parseScript(`${before} ${revert}`)
    const published = units.slice(0, -1)
    await project.run(scriptConnector(published))
    await expect(project.run(scriptConnector(units))).rejects.toMatchObject({ code: 'reorganisation_below_final' })
    await expectReplayed(project, published)
  })

  test.each(differingScripts)('%s, while it was down', async (_, script) => {
    const units = parseScript(script)
    const before = units.findIndex(({ revertTo }) => revertTo !== undefined)
    await project.run(scriptConnector(units.slice(0, before)))
    await project.run(scriptConnector(units))
    await expectReplayed(project, units)
  })

  test.each(differingScripts)('%s, and is stopped after every unit', async (_, script) => {
    const units = parseScript(script)
    for (let count = 1; count <= units.length; count++) await project.run(scriptConnector(units.slice(0, count)))
    await expectReplayed(project, units)
  })

  const crash = () => new Error('crash')
  // The tests of `testConnector` cover runs without a revert.
  const steps: [string, FaultStep, (id: string) => Error, number][] = [
    ['crashes at the reading of the checkpoint', 'latest', crash, 1],
    ['crashes at each begin', 'begin', crash, 1],
    ['crashes at every fourth record', 'send', crash, 4],
    ['crashes at each commit', 'commit', crash, 1],
    ['crashes after each commit', 'committed', crash, 1],
    ['has each commit refused', 'commit', () => new TransactionAbortedError('refused'), 1],
    ['has each commit unanswered', 'committed', (id) => new CommitUnknownError(id), 1],
  ]
  test.each(steps)('and its run %s in turn', async (_, step, errorOf, stride) => {
    const units = parseScript('a0 a1 a2 a3 a1<b2 b3 a0<c1 c2')
    let time = 1
    for (; ; time += stride) {
      const one = await project.openOther(folder, { settings: { chain: newChain() } })
      await one.run(scriptConnector(units.slice(0, 4)))
      const { writerId } = one.instance
      const queue = createFaultyQueue(one.queue, [{ step, time, error: errorOf(writerId) }])
      const run = () => one.run(scriptConnector(units), { queue, oneByOne: true })
      await run().catch((error: Error) => expect(error.message).toContain('crash'))
      const reached = queue.pending.length === 0
      if (reached) await run()
      await expectReplayed(one, units)
      if (!reached) break
    }
    expect(time).toBeGreaterThan(1)
  })
})
