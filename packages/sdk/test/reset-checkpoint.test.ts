import { type ResetTarget, readCheckpoints, resetCheckpoint } from '@headrace/sdk'
import type { PublishedRecord, TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { chainConnector, type Head, unitOf } from './chain/connector.ts'
import { newChain, openChain } from './chain/open.ts'
import { createPausePoint } from './half-way.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

let project: TestProject
let writerId: string
const log = pino({ level: 'silent' })
const reset = (target: ResetTarget) => resetCheckpoint({ queue: project.queue, writerId, target, log })
const toBlock = (number: number): ResetTarget => ({ at: 'checkpoint', position: unitOf(number).checkpoint })
const publish = (final?: number) =>
  project.run(
    chainConnector((unit) => (unit.checkpoint.number === final ? { ...unit, final: unitOf(final).checkpoint } : unit)),
  )

/** Numbers of the canonical blocks, in order. Seqs must have no gaps. */
async function canonicalBlocks(): Promise<number[]> {
  const records = await project.records('Block')
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
  const stack: PublishedRecord[] = []
  for (const record of records) {
    if (record.op === 'append') stack.push(record)
    else expect(stack.pop()!.seq).toBe(record.reverts)
  }
  return stack.map(({ value }) => Number((value as { Number: string }).Number))
}
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe.each(engines)('on %s, a reset', (_, queue) => {
  beforeEach(async () => {
    project = await openChain({ settings: { chain: newChain() }, ...(queue && { queue }) })
    writerId = project.instance.writerId
  })
  afterEach(() => project.close())

  test('to a checkpoint reverts later units, and the next run publishes them again', async () => {
    await publish()
    expect(await reset(toBlock(15))).toEqual({ unit: 22, units: 5, records: 5 + 6 })
    expect(await canonicalBlocks()).toEqual(range(0, 15))
    expect(await project.checkpoint()).toEqual(unitOf(15).checkpoint)
    expect(await publish()).toMatchObject({ units: 5 })
    expect(await canonicalBlocks()).toEqual(range(0, 20))
    expect((await project.storedCheckpoint())!.unit).toBe(27)
  })

  test('fences a run', async () => {
    const pausePoint = createPausePoint()
    const run = project.run(
      chainConnector(async (unit) => {
        if (unit.checkpoint.number === 10) await pausePoint.pause()
        return unit
      }),
    )
    const fenced = expect(run).rejects.toMatchObject({ code: 'fenced' })
    await pausePoint.reached
    await expect.poll(() => project.checkpoint()).toEqual(unitOf(9).checkpoint)
    await reset(toBlock(4))
    pausePoint.resume()
    await fenced
    expect(await canonicalBlocks()).toEqual(range(0, 4))
    await publish()
    expect(await canonicalBlocks()).toEqual(range(0, 20))
  })

  // The following depend on the checkpoints that were read, not on the engine.
  if (queue !== undefined) return

  test('may follow another reset, to an earlier checkpoint', async () => {
    await publish()
    await reset(toBlock(15))
    expect(await reset(toBlock(3))).toMatchObject({ unit: 23 })
    expect(await canonicalBlocks()).toEqual(range(0, 3))
    expect(await publish()).toMatchObject({ units: 17 })
    expect(await canonicalBlocks()).toEqual(range(0, 20))
  })

  test('to a checkpoint keeps it in the history once, and allows another reset or revert to it', async () => {
    await publish()
    const numbers = async () =>
      (await readCheckpoints(project.queue, writerId)).history.map(({ position }) => (position as Head).number)
    for (const last of [20, 15]) {
      await reset(toBlock(last))
      expect(await numbers()).toEqual(range(0, last).reverse())
    }
    await reset(toBlock(15))
    expect(await numbers()).toEqual(range(0, 15).reverse())
    const seen: number[][] = []
    const connector = chainConnector((unit, { history }) => {
      seen.push(history().map(({ number }) => number))
      return unit.checkpoint.number === 16 ? { ...unit, revertTo: unitOf(14).checkpoint } : unit
    })
    await project.run(connector)
    expect(seen[0]).toEqual(range(0, 15).reverse())
    expect(await canonicalBlocks()).toEqual([...range(0, 14), ...range(16, 20)])
    await reset(toBlock(0))
    expect(await numbers()).toEqual([0])
    await reset({ at: 'start', keepRecords: false })
    expect(await canonicalBlocks()).toEqual([])
  })

  test('to the final checkpoint keeps it final, and in the history once', async () => {
    await publish(10)
    await reset(toBlock(10))
    const { newest, history } = await readCheckpoints(project.queue, writerId)
    expect(history.map(({ unit }) => unit)).toEqual([newest!.unit])
    expect(newest!.final!.unit).toBe(11)
    await publish(10)
    expect(await canonicalBlocks()).toEqual(range(0, 20))
  })

  test('to a position that no checkpoint has is refused', async () => {
    await publish()
    const none: readonly (readonly [string, unknown])[] = [
      ['Infinity', Number.POSITIVE_INFINITY],
      ['null', null],
      ['a position of another form', 'block 15'],
      ['a list that is nested too deeply', Array.from({ length: 200 }).reduce((inner) => [inner], 0 as unknown)],
      ['a string that is too long', 'x'.repeat(100_000)],
    ]
    for (const [what, position] of none) {
      const error = await reset({ at: 'checkpoint', position }).catch((error: Error) => error)
      expect(error, what).toMatchObject({
        code: 'reset_refused',
        message: expect.stringMatching(
          /^No unit that can still be reverted to has the checkpoint .*`readCheckpoints` lists those that can/,
        ),
      })
      expect((error as Error).message.length, what).toBeLessThan(500)
    }
  })

  test('to the start reverts everything. The source starts again, and unit numbers continue', async () => {
    await publish()
    expect(await reset({ at: 'start', keepRecords: false })).toEqual({ unit: 22, units: 21, records: 21 + 30 })
    expect(await canonicalBlocks()).toEqual([])
    const seen: Head[][] = []
    const connector = chainConnector((unit, { history }) => {
      seen.push([...history()])
      return unit
    })
    expect(await project.run(connector)).toMatchObject({ units: 21 })
    expect(seen[0]).toEqual([])
    expect(await canonicalBlocks()).toEqual(range(0, 20))
    expect(await project.storedCheckpoint()).toMatchObject({ unit: 43, previous: 42 })
    expect((await readCheckpoints(project.queue, writerId)).history).toHaveLength(21)
  })

  test('to the start with keepRecords leads to duplicate records', async () => {
    await publish(10)
    await reset({ at: 'start', keepRecords: true })
    await publish()
    expect(await canonicalBlocks()).toEqual([...range(0, 20), ...range(0, 20)])
    expect((await project.storedCheckpoint())!.final?.unit).toBe(11)
  })

  test('that is impossible is refused with the remedy, and fences no run', async () => {
    await expect(reset(toBlock(1))).rejects.toMatchObject({
      code: 'reset_refused',
      message: expect.stringContaining('has published nothing'),
    })
    const pausePoint = createPausePoint()
    const run = project.run(
      chainConnector(async (unit) => {
        if (unit.checkpoint.number === 18) await pausePoint.pause()
        return unit.checkpoint.number === 10 ? { ...unit, final: unit.checkpoint } : unit
      }),
    )
    await pausePoint.reached
    await expect.poll(() => project.checkpoint()).toEqual(unitOf(17).checkpoint)
    await expect(reset(toBlock(9))).rejects.toMatchObject({
      code: 'reset_refused',
      message: expect.stringContaining('{"number":9,"hash":"0x00000009"}'),
    })
    await expect(reset({ at: 'start', keepRecords: false })).rejects.toMatchObject({
      code: 'reset_refused',
      message: expect.stringContaining('unit 11 is final. With `keepRecords`'),
    })
    pausePoint.resume()
    expect(await run).toMatchObject({ units: 21, reason: 'ended' })
  })

  test('may be to each checkpoint that readCheckpoints returns, newest first', async () => {
    expect(await readCheckpoints(project.queue, writerId)).toEqual({ newest: undefined, history: [] })
    await publish(10)
    const { newest, history } = await readCheckpoints(project.queue, writerId)
    expect(newest).toEqual(history[0])
    expect(history.map(({ position }) => (position as Head).number)).toEqual(range(10, 20).reverse())
  })
})
