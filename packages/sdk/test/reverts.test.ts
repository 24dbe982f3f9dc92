import { randomBytes } from 'node:crypto'
import { CommitUnknownError, type Queue, TransactionAbortedError } from '@headrace/queue'
import type { RunSummary } from '@headrace/sdk'
import { createFaultyQueue, createTestProject, type FaultStep, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { expectReplayed } from './reverts/replay.ts'
import { parseScript, type ScriptedUnit, scriptConnector, scripts, scriptsOnKafka } from './reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

let project: TestProject
let chain: string
async function open(queue: string | undefined): Promise<void> {
  // The broker is shared, so each test has its own topics.
  chain = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  project = await createTestProject(new URL('chain', import.meta.url), { settings: { chain }, ...(queue && { queue }) })
}

/** Runs a script with one unit in each transaction, except replacements of reverted units. */
const runOneByOne = (units: readonly ScriptedUnit[], queue: Queue = project.queue): Promise<RunSummary> =>
  project.run(scriptConnector(units), { queue, oneByOne: true })

describe.each(engines)('on %s, a source reverts', (_, address) => {
  beforeEach(() => open(address))
  afterEach(() => project.close())

  test.each(address === undefined ? scripts : scriptsOnKafka)('%s', async (_, script) => {
    const units = parseScript(script)
    expect(await runOneByOne(units)).toMatchObject({ units: units.length, reason: 'ended' })
    await expectReplayed(project, units)
  })

  test('with grouping off, and replacements are published unit by unit', async () => {
    const units = parseScript('a0 a1 a2 a3 a1<b2 b3 b4 a0<c1 c2')
    const committed: number[] = []
    const observer = { onCommit: ({ unit }: { readonly unit: number }) => committed.push(unit) }
    await project.run(scriptConnector(units), { group: 'off', observer })
    expect(committed).toEqual(units.map((_, index) => index + 1))
    await expectReplayed(project, units)
  })

  test('more units than one read window holds', async () => {
    const names = Array.from({ length: 700 }, (_, number) => `a${number}`)
    const units = parseScript([...names, 'a10<b11', 'b12', 'b13'].join(' '))
    await project.run(scriptConnector(units))
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
    ['what is final', 'a0 a1 a2! a3', 'a1<b2'],
    ['everything, and something is final', 'a0 a1! a2', '<b0'],
    ['to a unit that it has reverted itself', 'a0 a1 a2 a0<b1', 'a2<c3'],
  ])('%s: the run ends and nothing is overwritten', async (_, before, revert) => {
    const units = parseScript(`${before} ${revert}`)
    const published = units.slice(0, -1)
    await project.run(scriptConnector(published))
    await expect(project.run(scriptConnector(units))).rejects.toMatchObject({ code: 'reorganisation_below_final' })
    await expectReplayed(project, published)
  })

  // The simulation covers these on Kafka.
  if (address !== undefined) return

  test.each(scripts)('%s, while it was down', async (_, script) => {
    const units = parseScript(script)
    const before = units.findIndex(({ revertTo }) => revertTo !== undefined)
    await project.run(scriptConnector(units.slice(0, before)))
    await project.run(scriptConnector(units))
    await expectReplayed(project, units)
  })

  test.each(scripts)('%s, and is stopped after every unit', async (_, script) => {
    const units = parseScript(script)
    for (let count = 1; count <= units.length; count++) await project.run(scriptConnector(units.slice(0, count)))
    await expectReplayed(project, units)
  })

  const crash = () => new Error('crash')
  const steps: [string, FaultStep, (id: string) => Error][] = [
    ['crashes at each reading of the checkpoint', 'latest', crash],
    ['crashes at each begin', 'begin', crash],
    ['crashes at each record', 'send', crash],
    ['crashes at each commit', 'commit', crash],
    ['crashes after each commit', 'committed', crash],
    ['has each commit refused', 'commit', () => new TransactionAbortedError('refused')],
    ['has each commit unanswered', 'committed', (id) => new CommitUnknownError(id)],
  ]
  test.each(steps)('and its run %s in turn', async (_, step, errorOf) => {
    const units = parseScript('a0 a1 a2 a3 a1<b2 b3 a0<c1 c2')
    const writerId = `acme.chain.1_0_0/${chain}`
    let time = 1
    for (; ; time++) {
      const queue = createFaultyQueue(project.queue, [{ step, time, error: errorOf(writerId) }])
      await runOneByOne(units, queue).catch((error: Error) => expect(error.message).toContain('crash'))
      const reached = queue.pending.length === 0
      await runOneByOne(units)
      await expectReplayed(project, units)
      if (!reached) break
      await project.close()
      await open(address)
    }
    expect(time).toBeGreaterThan(1)
  })
})
